import type { Parts } from '../../context/context.ts'
import type { Claim } from '../lifecycle/claim-job.ts'
import { notifyJob } from '../live/notify-job.ts'

/** Writes nothing if the claim is lost or the job has ended. */
export async function recordPart(
  parts: Pick<Parts, 'db' | 'notifier'>,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  partsDone: number,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query({
    name: 'record_part',
    text: `update job set parts_done = $3 where id = $1 and attempt = $2 and status = 'processing'`,
    values: [claim.jobId, claim.attempt, partsDone],
  })
  if (rowCount === 1) notifyJob(parts, claim)
}
