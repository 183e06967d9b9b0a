import type { CaptionFormat } from '../../audio/format.ts'
import type { JobType } from '../../catalog/job-kinds.ts'
import { knownKey, poolOfJob } from '../../catalog/job-kinds.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobFailure } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { StoredOutput } from '../sign-outputs.ts'

/**
 * Columns that the ending statement returns.
 * @param job its table
 */
export const endedColumns = (job: string): string =>
  `${job}.type, ${job}.endpoint_key, ${job}.attempt, (extract(epoch from ${job}.started_at - ${job}.created_at) * 1000)::float8 as wait_ms,
  (extract(epoch from ${job}.completed_at - ${job}.started_at) * 1000)::float8 as run_ms`

const ENDED = `
  select ${endedColumns('job')},
    (select coalesce(sum(amount), 0)::float8 from credit_entry where job_id = $1 and kind = 'refund') as refunded
  from job where id = $1 and attempt = coalesce($2, attempt) and status = $3 and error_code is not distinct from $4`

export interface MadeDelivery {
  /** The caller calls it after the commit. */
  committed(): void
}

export interface DeliveryPort {
  /** Creates and queues the delivery in the transaction that ended the job. */
  create(tx: Tx, job: JobName, url: string): Promise<MadeDelivery>
  /**
   * Completes a job and creates its delivery in one shared statement. Returns null if only a transaction can do it.
   * @throws if the claim does not stand, or the error of the statement; after a lost answer the write may exist
   */
  createWithEnd(job: JobName, end: OwnEnd): Promise<EndedWithDelivery | null>
}

export interface OwnEnd {
  readonly outputs: readonly StoredOutput[]
  /**
   * Returns table expressions: `chosen` (`id` of each delivery, `job_id`) and `ended` (that job). Both omit a job whose claim or
   * receiver changed.
   */
  with(deliveryIds: `$${number}`, at: (n: number) => `$${number}`): string
  values(delivered: DeliveredEnd): readonly unknown[]
}

export interface DeliveredEnd {
  readonly endedAt: Date
  readonly url: string
}

interface EndedWithDelivery {
  readonly ended: EndedJob
  readonly made: MadeDelivery
}

export interface EndingParts extends Parts, MeasuredParts {
  readonly deliveries: DeliveryPort
}

export interface JobName {
  readonly accountId: string
  readonly jobId: string
}

export interface Provenance {
  /** Voice jobs only. */
  readonly chunks?: number | null
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

export interface JobEnd extends JobName {
  /** Absent: the job is completed. */
  readonly failure?: JobFailure
  readonly provenance?: Provenance | undefined
  /** On companion jobs. */
  readonly verdict?: { readonly isProhibited: boolean; readonly reason: string | null }
  /** Absent: any attempt may end. */
  readonly attempt?: number
  /** Set if the job fails before this attempt begins. */
  readonly nextAttempt?: number
  /** Writes the caller's rows in the same transaction. */
  also?(tx: Tx): Promise<void>
}

export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  readonly durationMs: number | null
  readonly timing?: Uint8Array | undefined
  readonly captions?: readonly CaptionFormat[] | undefined
}

export interface Completion {
  readonly claim: { readonly jobId: string; readonly attempt: number }
  readonly artifacts: readonly FinishedArtifact[]
  readonly provenance: Provenance
  /** Undefined if the queue holds no row. */
  readonly row: QueueRow | undefined
  readonly delivered?: DeliveredEnd
}

export interface EndedJob {
  readonly type: JobType
  readonly endpoint_key: string
  readonly attempt: number
  /** Null if no worker started it. */
  readonly wait_ms: number | null
  readonly run_ms: number | null
}

interface End {
  readonly jobId: string
  readonly failure?: JobFailure | undefined
  readonly refunded?: number
}

/** Called after the commit. */
export function reportJobEnded(
  { telemetry, catalog, log }: Pick<Parts, 'catalog' | 'log'> & MeasuredParts,
  { jobId, failure, refunded = 0 }: End,
  { type, endpoint_key: key, attempt, wait_ms: waitMs, run_ms: runMs }: EndedJob,
): void {
  if (!telemetry.measures && !log.isLevelEnabled('info')) return
  const pool = poolOfJob(catalog, key)
  const outcome = failure === undefined ? 'completed' : 'failed'
  const times = { waitMs: rounded(waitMs), runMs: rounded(runMs) }
  log.info({ jobId, pool, attempt, ...times, outcome, ...(failure && { code: failure.code }) }, 'a job ended')
  telemetry.count('jobs_finished_total', {
    ...{ type, pool, endpoint_key: knownKey(catalog, key), outcome },
    error_code: failure?.code ?? '',
  })
  if (runMs !== null) telemetry.observe('job_run_seconds', { type, pool }, runMs / 1000)
  if (refunded > 0) telemetry.count('credits_total', { kind: 'refund' }, refunded)
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

/**
 * Announces an end whose commit succeeded although its answer was lost.
 * @param claim without `attempt`: the last one
 * @param failure absent: completed
 * @returns whether the job has ended so
 */
export async function announceLostEnd(
  parts: Pick<Parts, 'db' | 'catalog' | 'log' | 'notifier'> & MeasuredParts,
  claim: { readonly jobId: string; readonly accountId: string; readonly attempt?: number },
  failure?: JobFailure,
): Promise<boolean> {
  const { jobId, attempt } = claim
  const status = failure === undefined ? 'completed' : 'failed'
  const { rows } = await parts.db.pool.query<EndedJob & { readonly refunded: number }>(ENDED, [
    jobId,
    attempt ?? null,
    status,
    failure?.code ?? null,
  ])
  const [ended] = rows
  if (ended === undefined) return false
  reportJobEnded(parts, { jobId, failure, refunded: ended.refunded }, ended)
  notifyJob(parts, claim)
  return true
}

/**
 * SQL of a job's webhook URL; null without one.
 * @param job its table
 */
export const receiverOf = (job: string): string =>
  `coalesce(${job}.webhook_url, (select account.webhook_url from account where account.id = ${job}.account_id))`
