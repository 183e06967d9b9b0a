import { knownKey, poolOfJob } from '../../catalog/pool-of-job.ts'
import type { Parts } from '../../context/context.ts'
import type { JobFailure, JobType } from '../job-states.ts'

/** What is read of a job by the statement that ends it. @param job the name of its table there */
export const endedColumns = (job: string): string =>
  `${job}.type, ${job}.endpoint_key, ${job}.attempt, (extract(epoch from ${job}.started_at - ${job}.created_at) * 1000)::float8 as wait_ms,
  (extract(epoch from ${job}.completed_at - ${job}.started_at) * 1000)::float8 as run_ms`

/** A job that has just ended, as its row has it. */
export interface EndedJob {
  readonly type: JobType
  readonly endpoint_key: string
  readonly attempt: number
  /** Until it was begun, in milliseconds; null: it never was. */
  readonly wait_ms: number | null
  readonly run_ms: number | null
}

/** What measurements say about a job that has ended: to be called after the commit. */
export function noteEnd(
  { telemetry, catalog }: Pick<Parts, 'telemetry' | 'catalog'>,
  { failure, refunded = 0 }: { readonly failure?: JobFailure | undefined; readonly refunded?: number },
  { type, endpoint_key: key, run_ms: runMs }: EndedJob,
): void {
  if (!telemetry.measures) return
  const pool = poolOfJob(catalog, key)
  const outcome = failure === undefined ? 'completed' : 'failed'
  telemetry.count('jobs_finished_total', {
    ...{ type, pool, endpoint_key: knownKey(catalog, key), outcome },
    error_code: failure?.code ?? '',
  })
  if (runMs !== null) telemetry.observe('job_run_seconds', { type, pool }, runMs / 1000)
  if (refunded > 0) telemetry.count('credits_total', { kind: 'refund' }, refunded)
}
