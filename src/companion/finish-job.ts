import type { Database, Tx } from '../db/database.ts'
import type { IdempotentRequest } from '../idempotency/remember-response.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { type EndingParts, endJob, type JobName } from '../jobs/lifecycle/end-job.ts'

/** What the work came to. */
export interface Decision<Result> {
  /** Why the request was rejected, as a sentence; null: it was not. */
  readonly rejection: string | null
  readonly result: Result
  /** Written in the transaction that completes the job. */
  commit?(tx: Tx): Promise<void>
}

/**
 * Finishes a companion job with what its work came to, and keeps the answer for its Idempotency-Key, in one transaction. Returns
 * false where the job was given up meanwhile: then nothing was written. May be called again when the answer to a commit was lost.
 */
export async function finishJob(
  parts: EndingParts,
  job: JobName,
  outcome: Decision<unknown> | JobFailure,
  idempotency: IdempotentRequest | null,
): Promise<boolean> {
  if (outcome instanceof JobFailure) {
    return (await endJob(parts, { ...job, failure: outcome })) || hasEnded(parts.db, job.jobId, 'failed', outcome.code)
  }
  const { rejection, result } = outcome
  const completed = await endJob(parts, {
    ...job,
    verdict: { isProhibited: rejection !== null, reason: rejection },
    also: async (tx) => {
      if (idempotency !== null) await keepAnswer(tx, idempotency, job.jobId, result)
      await outcome.commit?.(tx)
    },
  })
  return completed || hasEnded(parts.db, job.jobId, 'completed', null)
}

async function keepAnswer(
  tx: Tx,
  { accountId, key }: IdempotentRequest,
  jobId: string,
  result: unknown,
): Promise<void> {
  await tx.query('update idempotency_record set response = $4 where account_id = $1 and key = $2 and job_id = $3', [
    accountId,
    key,
    jobId,
    JSON.stringify(result),
  ])
}

/** Only the request that recorded the job completes it: found with the same end, it was this one. */
async function hasEnded(db: Database, jobId: string, status: string, code: string | null): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    'select from job where id = $1 and status = $2 and error_code is not distinct from $3',
    [jobId, status, code],
  )
  return rowCount === 1
}
