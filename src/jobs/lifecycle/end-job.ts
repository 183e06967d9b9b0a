import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Parts } from '../../context/context.ts'
import { inPatientTransaction, type PrismaTx, type Tx } from '../../db/database.ts'
import { type Sql, sqlIn } from '../../db/sql.ts'
import { type JobFailure, type JobStatus, statesBefore } from '../job-states.ts'
import { ENDED_AT } from '../job-times.ts'
import { notifyJob } from '../live/notify-job.ts'
import { type EndedJob, endedColumns, noteEnd } from '../notes/note-end.ts'
import { refundJob } from './refund-job.ts'

/** A delivery that was created, as long as its transaction is under way: exactly one of the two is to be called. */
export interface MadeDelivery {
  /** After the commit. */
  committed(): void
  /** The transaction failed, as far as is known. */
  abandoned(): void
}

/** What the end of a job is delivered through: webhooks implement it, the runtime injects it. */
export interface DeliveryPort {
  /**
   * Creates and queues the delivery of a job that `tx` just ended: it is there if and only if the terminal state is.
   * @param isRepeated the transaction was held up before: what can be done later is left out
   */
  create(tx: Tx, job: JobName, url: string, isRepeated: boolean): Promise<MadeDelivery>
}

/** What ending a job needs besides a context's parts. */
export interface EndingParts extends Parts {
  readonly deliveries: DeliveryPort
}

/** A job and the account that it belongs to. */
export interface JobName {
  readonly accountId: string
  readonly jobId: string
}

/** What the engine says of its own work. */
export interface Provenance {
  /** Of how many chunks the audio was made: voice jobs only. */
  readonly chunks?: number | null
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

/** How a job ends, and which claim on it must still stand. */
export interface JobEnd extends JobName {
  /** Absent: the job is completed. */
  readonly failure?: JobFailure
  readonly provenance?: Provenance | undefined
  /** On companion jobs; `reason` is the sentence that says why a request was rejected. */
  readonly verdict?: { readonly isProhibited: boolean; readonly reason: string | null }
  /** The attempt that the caller knows of; absent: whichever it is. */
  readonly attempt?: number
  /** The attempt in which the job fails before it was begun. */
  readonly nextAttempt?: number
  /** Written in the same transaction, before the delivery is made. */
  also?(tx: Tx): Promise<void>
}

/** Companion jobs end in the answer to their request: they have no delivery. */
const END_JOB = `
  update job set status = $2, completed_at = ${ENDED_AT}, error_code = $4, cause = $5, attempt = coalesce($7, attempt),
    chunks_done = coalesce($8, chunks_done), chunks_total = coalesce($8, chunks_total),
    provider_job_id = coalesce($9, provider_job_id),
    gpu_execution_time_ms = case when $9::text is null then gpu_execution_time_ms
      when provider_job_id = $9 then coalesce($10, gpu_execution_time_ms) else $10 end,
    is_prohibited = coalesce($11, is_prohibited), reason = coalesce($12, reason)
  where id = $1 and status = any($3::job_status[]) and attempt = coalesce($6, attempt)
  returning case when type in ('voice', 'generate') then
    coalesce(webhook_url, (select account.webhook_url from account where account.id = job.account_id)) end as webhook_url,
  ${endedColumns('job')}`

/**
 * Ends a job: the terminal state, the refund of a job that failed, its delivery and the caller's own rows, in one transaction; then the
 * notification of subscribers. All ends are written here, but the batches of `completeJobs`, which have neither refund nor delivery.
 * Returns false where the job has ended already, or its attempt is another one: then nothing was written.
 */
export async function endJob(parts: EndingParts, end: JobEnd): Promise<boolean> {
  let made: MadeDelivery | undefined
  let runs = 0
  const abandon = (): void => {
    made?.abandoned()
    made = undefined
  }
  const ended = await inPatientTransaction(parts.db, end.accountId, async (tx) => {
    // What was held up before is repeated as a whole.
    abandon()
    runs++
    const written = await writeEnd(tx, end)
    if (written === null) return null
    const { webhook_url: url } = written
    await end.also?.(tx)
    const { accountId, jobId } = end
    if (url !== null) made = await parts.deliveries.create(tx, { accountId, jobId }, url, runs > 1)
    return written
  }).catch((error: unknown) => {
    abandon()
    throw error
  })
  if (ended === null) return false
  made?.committed()
  // The delivery goes first: its receiver waits for it.
  if (made !== undefined) await nextTurn()
  noteEnd(parts, { ...end, refunded: ended.refunded }, ended)
  notifyJob(parts, end)
  return true
}

/**
 * `endJob` for companion jobs, whose own rows Prisma Client writes in the same transaction: it is Prisma's, slower than one of `endJob`,
 * and has no delivery.
 */
export async function endJobWith(
  parts: EndingParts,
  end: Omit<JobEnd, 'also'>,
  also: (tx: PrismaTx) => Promise<unknown>,
): Promise<boolean> {
  const ended = await parts.db.prisma.$transaction(async (tx) => {
    const written = await writeEnd(sqlIn(tx), end)
    if (written === null) return null
    if (written.webhook_url !== null) throw new Error(`job ${end.jobId} needs a delivery: only companion jobs end here`)
    await also(tx)
    return written
  })
  if (ended === null) return false
  noteEnd(parts, { ...end, refunded: ended.refunded }, ended)
  notifyJob(parts, end)
  return true
}

/** What was written. */
interface WrittenEnd extends EndedJob {
  readonly webhook_url: string | null
  /** Credits that went back. */
  readonly refunded: number
}

/** The terminal state and the refund; null where the job has ended already, or its attempt is another one. */
async function writeEnd(tx: Sql, end: JobEnd): Promise<WrittenEnd | null> {
  const { rows } = await tx.query<Omit<WrittenEnd, 'refunded'>>({
    name: 'end_job',
    text: END_JOB,
    values: valuesOf(end),
  })
  const [ended] = rows
  if (ended === undefined) return null
  return { ...ended, refunded: end.failure === undefined ? 0 : await refundJob(tx, end.jobId) }
}

function valuesOf({ jobId, failure, provenance, verdict, attempt, nextAttempt }: JobEnd): unknown[] {
  const status: JobStatus = failure === undefined ? 'completed' : 'failed'
  return [
    jobId,
    status,
    statesBefore(status),
    failure?.code ?? null,
    failure?.message ?? null,
    attempt ?? null,
    nextAttempt ?? null,
    provenance?.chunks ?? null,
    provenance?.providerJobId ?? null,
    provenance?.gpuExecutionTimeMs ?? null,
    verdict?.isProhibited ?? null,
    verdict?.reason ?? null,
  ]
}
