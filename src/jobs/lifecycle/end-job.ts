import { nextTurn } from '../../concurrency/next-turn.ts'
import { BATCH_WAIT, limitingLockWaits } from '../../db/connections/lock-wait.ts'
import { type Database, inRetriedTransaction, type PrismaTx } from '../../db/database.ts'
import { type Sql, sqlIn } from '../../db/sql.ts'
import { dequeueJoined } from '../../queue/pgboss/dequeue.ts'
import { newId } from '../../values/id.ts'
import { ENDED_AT } from '../job-shape.ts'
import { type JobStatus, queuedTypeSql, statesBefore } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import {
  type Completion,
  type EndedJob,
  type EndingParts,
  endedColumns,
  type JobEnd,
  type MadeDelivery,
  receiverOf,
  reportJobEnded,
} from './job-end.ts'

/** Companion jobs have no delivery. */
const END_JOB = `
  update job set status = $2, completed_at = ${ENDED_AT}, error_code = $4, cause = $5, attempt = coalesce($7, attempt),
    chunks_done = coalesce($8, chunks_done), chunks_total = coalesce($8, chunks_total),
    provider_job_id = coalesce($9, provider_job_id),
    gpu_execution_time_ms = case when $9::text is null then gpu_execution_time_ms
      when provider_job_id = $9 then coalesce($10, gpu_execution_time_ms) else $10 end,
    is_prohibited = coalesce($11, is_prohibited), reason = coalesce($12, reason)
  where id = $1 and status = any($3::job_status[]) and attempt = coalesce($6, attempt)
  returning case when ${queuedTypeSql('type')} then ${receiverOf('job')} end as webhook_url,
  ${endedColumns('job')}`

/**
 * Ends a job in one transaction: terminal state, refund, delivery and the caller's rows. It then notifies subscribers.
 * @returns false if the job has ended already or has another attempt; nothing was written
 */
export async function endJob(parts: EndingParts, end: JobEnd): Promise<boolean> {
  let made: MadeDelivery | undefined
  const ended = await inRetriedTransaction(parts.db, end.accountId, async (tx) => {
    made = undefined
    const written = await writeEnd(tx, end)
    if (written === null) return null
    const { webhook_url: url } = written
    await end.also?.(tx)
    const { accountId, jobId } = end
    if (url !== null) made = await parts.deliveries.create(tx, { accountId, jobId }, url)
    return written
  })
  if (ended === null) return false
  made?.committed()
  // The delivery starts before the notes, because its receiver waits.
  if (made !== undefined) await nextTurn()
  reportJobEnded(parts, { ...end, refunded: ended.refunded }, ended)
  notifyJob(parts, end)
  return true
}

/** Ends a companion job and writes the caller's rows in one Prisma transaction. */
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
  reportJobEnded(parts, { ...end, refunded: ended.refunded }, ended)
  notifyJob(parts, end)
  return true
}

interface WrittenEnd extends EndedJob {
  readonly webhook_url: string | null
  readonly refunded: number
}

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

/**
 * The attempt fences each job and its files; the delivery fences its queue row. A job with a receiver stays unless this statement
 * creates its delivery.
 * @param at the placeholder of the n-th of `completionValues`
 */
export const completing = (at: (n: number) => `$${number}`): string => `
done as materialized (
  select * from unnest(${at(1)}::text[], ${at(2)}::int[], ${at(3)}::int[], ${at(4)}::text[], ${at(5)}::int[], ${at(17)}::text[], ${at(18)}::uuid[],
      ${at(19)}::int[], ${at(20)}::timestamptz[], ${at(22)}::text[])
    as done (id, attempt, chunks, provider, gpu_ms, queue, delivery, retry_count, ended_at, url)
  where ${limitingLockWaits(`'${BATCH_WAIT}'`)}
), ended as (
  update job j set status = 'completed', completed_at = coalesce(done.ended_at, ${ENDED_AT}), error_code = null, cause = null,
    chunks_done = coalesce(done.chunks, j.chunks_done), chunks_total = coalesce(done.chunks, j.chunks_total),
    provider_job_id = coalesce(done.provider, j.provider_job_id),
    gpu_execution_time_ms = case when done.provider is null then j.gpu_execution_time_ms else done.gpu_ms end
  from done
  where j.id = any(${at(1)}::text[]) and j.id = done.id and j.attempt = done.attempt and j.status = any(${at(6)}::job_status[])
    and ${queuedTypeSql('j.type')} and coalesce(done.ended_at >= greatest(j.started_at, j.created_at), true)
    and ${receiverOf('j')} is not distinct from done.url
  returning j.id, ${endedColumns('j')}
), stored as (
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions)
  select id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, string_to_array(captions, ',')
  from unnest(${[7, 8, 9, 10, 11].map((n) => `${at(n)}::text[]`).join(', ')}, ${at(12)}::bigint[], ${at(13)}::bytea[], ${at(14)}::int[], ${at(15)}::bytea[],
      ${at(16)}::text[], ${at(21)}::int[])
    as file (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions, attempt)
  where (job_id, attempt) in (select ended.id, ended.attempt from ended)
), dequeued as (${dequeueJoined(at(18), '(done.id, done.attempt) in (select ended.id, ended.attempt from ended)')})`

const COMPLETE = `with ${completing((n) => `$${n}`)} select * from ended`
const COMPLETABLE = statesBefore('completed')

export function completionValues(done: readonly Completion[], now: Date): unknown[] {
  const files = done.flatMap(({ claim, artifacts }) => artifacts.map((file) => ({ ...file, ...claim })))
  return [
    done.map(({ claim }) => claim.jobId),
    done.map(({ claim }) => claim.attempt),
    done.map(({ provenance }) => provenance.chunks ?? null),
    done.map(({ provenance }) => provenance.providerJobId ?? null),
    done.map(({ provenance }) => provenance.gpuExecutionTimeMs ?? null),
    COMPLETABLE,
    files.map(() => newId('art', now)),
    files.map(({ jobId }) => jobId),
    files.map(({ output }) => output),
    files.map(({ storageKey }) => storageKey),
    files.map(({ contentType }) => contentType),
    files.map(({ bytes }) => bytes),
    files.map(({ sha256 }) => Buffer.from(sha256)),
    files.map(({ durationMs }) => durationMs),
    files.map(({ timing }) => (timing === undefined ? null : Buffer.from(timing))),
    files.map(({ captions }) => captions?.join(',') ?? null),
    done.map(({ row }) => row?.queue ?? null),
    done.map(({ row }) => row?.id ?? null),
    done.map(({ row }) => row?.retryCount ?? null),
    done.map(({ delivered }) => delivered?.endedAt ?? null),
    files.map(({ attempt }) => attempt),
    done.map(({ delivered }) => delivered?.url ?? null),
  ]
}

/** Completes jobs, with their artifacts, if their claims stand and no receiver waits. Returns null for each other job. */
export async function completeJobs(db: Database, done: readonly Completion[], now: Date): Promise<(EndedJob | null)[]> {
  const { rows } = await db.pool.query<EndedJob & { readonly id: string }>({
    name: 'complete_jobs',
    text: COMPLETE,
    values: completionValues(done, now),
  })
  const ended = new Map(rows.map((row) => [row.id, row]))
  return done.map(({ claim }) => {
    const row = ended.get(claim.jobId)
    return row?.attempt === claim.attempt ? row : null
  })
}

/**
 * Refunds a job's charge once, in the transaction that fails the job.
 * @returns credits
 */
async function refundJob(tx: Sql, jobId: string): Promise<number> {
  const { rows } = await tx.query<{ account_id: string; amount: string | bigint }>({
    text: `insert into credit_entry (account_id, kind, amount, job_id)
     select account_id, 'refund', -amount, job_id from credit_entry where job_id = $1 and kind = 'charge'
     on conflict (job_id, kind) do nothing
     returning account_id, amount`,
    values: [jobId],
  })
  const refund = rows[0]
  if (refund === undefined) return 0
  const text = 'update account set credits = credits + $2 where id = $1'
  await tx.query({ text, values: [refund.account_id, refund.amount] })
  return Number(refund.amount)
}
