import type { Parts } from '../../context/context.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'

export interface Progress {
  readonly done: number
  readonly total: number
}

/** Writes nothing if the claim is lost or the job has ended. */
export async function recordProgress(
  parts: Pick<Parts, 'db' | 'notifier'>,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  { done, total }: Progress,
): Promise<void> {
  const { rowCount } = await parts.db.pool.query({
    name: 'record_progress',
    text: `update job set chunks_done = $3, chunks_total = $4
           where id = $1 and attempt = $2 and status = 'processing'`,
    values: [claim.jobId, claim.attempt, done, total],
  })
  if (rowCount === 1) notifyJob(parts, claim)
}
