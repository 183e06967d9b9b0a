import { type Database, inTransaction, type Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../idempotency/remember-response.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { ENDED_AT } from '../jobs/job-times.ts'
import type { Decision } from './companion-job.ts'

/**
 * Finishes a companion job with what its work came to, and keeps the answer for its Idempotency-Key, in one transaction. Returns
 * false where the job was given up meanwhile: then nothing was written. May be called again when the answer to a commit was lost.
 */
export const finishJob = (
  db: Database,
  jobId: string,
  outcome: Decision<unknown> | JobFailure,
  idempotency: IdempotentRequest | null,
): Promise<boolean> =>
  inTransaction(db, (tx) =>
    outcome instanceof JobFailure ? fail(tx, jobId, outcome) : complete(tx, jobId, outcome, idempotency),
  )

async function complete(
  tx: Tx,
  jobId: string,
  { rejection, result, commit }: Decision<unknown>,
  idempotency: IdempotentRequest | null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update job set status = 'completed', completed_at = ${ENDED_AT}, is_prohibited = $2, reason = $3
     where id = $1 and status = 'processing'`,
    [jobId, rejection !== null, rejection],
  )
  if (rowCount !== 1) return hasEnded(tx, jobId, 'completed', null)
  if (idempotency !== null) {
    await tx.query('update idempotency_record set response = $4 where account_id = $1 and key = $2 and job_id = $3', [
      idempotency.accountId,
      idempotency.key,
      jobId,
      JSON.stringify(result),
    ])
  }
  await commit?.(tx)
  return true
}

async function fail(tx: Tx, jobId: string, { code, message }: JobFailure): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update job set status = 'failed', completed_at = ${ENDED_AT}, error_code = $2, cause = $3
     where id = $1 and status = 'processing'`,
    [jobId, code, message],
  )
  return rowCount === 1 || hasEnded(tx, jobId, 'failed', code)
}

/** Only the request that recorded the job completes it: found with the same end, it was this one. */
async function hasEnded(tx: Tx, jobId: string, status: string, code: string | null): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from job where id = $1 and status = $2 and error_code is not distinct from $3',
    [jobId, status, code],
  )
  return rowCount === 1
}
