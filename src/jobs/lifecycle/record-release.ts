import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'

/**
 * An attempt that its worker releases does not count. The attempt number itself goes on: workers, files and predictions are
 * distinguished by it. Nothing is written where the claim is no longer this worker's.
 */
export async function recordRelease(
  parts: Pick<Parts, 'db' | 'notifier'> & MeasuredParts,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query(
    `update job set hand_backs = hand_backs + 1 where id = $1 and attempt = $2 and status = 'processing'`,
    [claim.jobId, claim.attempt],
  )
  if (rowCount !== 1) return
  parts.telemetry.count('jobs_requeued_total', { reason: 'handed_back' })
  notifyJob(parts, claim)
}
