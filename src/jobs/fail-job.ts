import { type Database, inTransaction } from '../db/database.ts'
import type { Claim } from './claim-job.ts'
import type { JobFailure } from './job.ts'
import { refundJob } from './refund-job.ts'

/**
 * Fails a claimed job and gives its charge back, in one transaction and at most once. The cause is kept for the operator only.
 * Returns false where the claim is no longer this worker's: then nothing was written.
 */
export async function failJob(db: Database, claim: Claim, failure: JobFailure): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `update job set status = 'failed', completed_at = now(), error_code = $3, cause = $4
       where id = $1 and attempt = $2 and status = 'processing'`,
      [claim.jobId, claim.attempt, failure.code, failure.message],
    )
    if (rowCount !== 1) return false
    await refundJob(tx, claim.jobId)
    return true
  })
}
