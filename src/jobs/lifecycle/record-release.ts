import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { Claim } from './claim-job.ts'

/**
 * An attempt that its worker releases does not count. The attempt number itself goes on: workers, files and predictions are
 * distinguished by it. Nothing is written where the claim is no longer this worker's.
 */
export async function recordRelease(
  { db, telemetry }: Pick<Parts, 'db'> & MeasuredParts,
  { jobId, attempt }: Claim,
): Promise<void> {
  const { rowCount } = await db.pool.query(
    `update job set hand_backs = hand_backs + 1 where id = $1 and attempt = $2 and status = 'processing'`,
    [jobId, attempt],
  )
  if (rowCount === 1) telemetry.count('jobs_requeued_total', { reason: 'handed_back' })
}
