import { type Database, inTransaction } from '../db/database.ts'
import type { Claim } from './claim-job.ts'
import { type JobFailure, statesBefore } from './job.ts'

const FAILABLE = statesBefore('failed')

/**
 * Fails a job and gives its charge back, in one transaction and at most once. The cause is kept for the operator only.
 * Returns false where a worker has taken the job since this attempt number was read, or the job has ended: then nothing was written.
 */
export async function failJob(
  db: Database,
  claim: Pick<Claim, 'jobId' | 'accountId' | 'attempt'>,
  failure: JobFailure,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `update job set status = 'failed', completed_at = now(), error_code = $3, cause = $4
       where id = $1 and attempt = $2 and status = any($5::job_status[])`,
      [claim.jobId, claim.attempt, failure.code, failure.message, FAILABLE],
    )
    if (rowCount !== 1) return false
    const { rows } = await tx.query<{ amount: string }>(
      `insert into credit_entry (account_id, kind, amount, job_id)
       select account_id, 'refund', -amount, job_id from credit_entry where job_id = $1 and kind = 'charge'
       on conflict (job_id, kind) do nothing
       returning amount`,
      [claim.jobId],
    )
    const refund = rows[0]
    if (refund !== undefined) {
      await tx.query('update account set credits = credits + $2 where id = $1', [claim.accountId, refund.amount])
    }
    return true
  })
}
