import { knownKey, poolOfJob } from '../../catalog/pool-of-job.ts'
import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobFailure, JobType } from '../job-states.ts'

/**
 * Columns that the ending statement returns.
 * @param job its table
 */
export const endedColumns = (job: string): string =>
  `${job}.type, ${job}.endpoint_key, ${job}.attempt, (extract(epoch from ${job}.started_at - ${job}.created_at) * 1000)::float8 as wait_ms,
  (extract(epoch from ${job}.completed_at - ${job}.started_at) * 1000)::float8 as run_ms`

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
export function noteEnd(
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
