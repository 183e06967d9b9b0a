import { poolOfJob } from '../../catalog/pool-of-job.ts'
import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { ClaimedRow } from '../lifecycle/claim-jobs.ts'

/** Called after the commit. */
export function noteClaim(
  { telemetry, catalog }: Pick<Parts, 'catalog'> & MeasuredParts,
  { type, endpoint_key: key, charged, waited }: ClaimedRow,
): void {
  if (!telemetry.measures) return
  const pool = poolOfJob(catalog, key)
  telemetry.count('jobs_claimed_total', { pool })
  if (charged > 0) telemetry.count('credits_total', { kind: 'charge' }, charged)
  if (waited !== null) telemetry.observe('job_wait_seconds', { type, pool }, waited)
}
