import type { Database, PrismaTx } from '../db/database.ts'
import type { IdempotentRequest } from '../idempotency/remember-response.ts'
import { JobFailure, type JobStatus } from '../jobs/job-states.ts'
import { endJob, endJobWith } from '../jobs/lifecycle/end-job.ts'
import type { EndingParts, JobName } from '../jobs/lifecycle/job-end.ts'

/** What the work came to. */
export interface Decision<Result extends object> {
  /** Why the request was rejected, as a sentence; null: it was not. */
  readonly rejection: string | null
  readonly result: Result
  /** Written in the transaction that completes the job. */
  commit?(tx: PrismaTx): Promise<void>
}

/**
 * Finishes a companion job with what its work came to, and keeps the answer for its Idempotency-Key, in one transaction. Returns
 * false where the job was given up meanwhile: then nothing was written. May be called again when the answer to a commit was lost.
 */
export async function finishJob(
  parts: EndingParts,
  job: JobName,
  outcome: Decision<object> | JobFailure,
  idempotency: IdempotentRequest | null,
): Promise<boolean> {
  if (outcome instanceof JobFailure) {
    return (await endJob(parts, { ...job, failure: outcome })) || hasEnded(parts.db, job.jobId, 'failed', outcome.code)
  }
  const { rejection, result } = outcome
  const verdict = { isProhibited: rejection !== null, reason: rejection }
  const completed = await endJobWith(parts, { ...job, verdict }, async (tx) => {
    if (idempotency !== null) await keepAnswer(tx, idempotency, job.jobId, result)
    await outcome.commit?.(tx)
  })
  return completed || hasEnded(parts.db, job.jobId, 'completed', null)
}

async function keepAnswer(
  tx: PrismaTx,
  { accountId, key }: IdempotentRequest,
  jobId: string,
  result: object,
): Promise<void> {
  await tx.idempotencyRecord.updateMany({ where: { accountId, key, jobId }, data: { response: result } })
}

/** Only the request that recorded the job completes it: found with the same end, it was this one. */
async function hasEnded(db: Database, id: string, status: JobStatus, errorCode: string | null): Promise<boolean> {
  return (await db.prisma.job.count({ where: { id, status, errorCode } })) === 1
}
