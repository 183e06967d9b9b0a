import type { Database, PrismaTx } from '../db/database.ts'
import type { IdempotentRequest } from '../idempotency/remember-response.ts'
import { JobFailure, type JobStatus } from '../jobs/job-states.ts'
import { endJob, endJobWith } from '../jobs/lifecycle/end-job.ts'
import type { EndingParts, JobName } from '../jobs/lifecycle/job-end.ts'

export interface Decision<Result extends object> {
  /** A sentence; null: not rejected. */
  readonly rejection: string | null
  readonly result: Result
  commit?(tx: PrismaTx): Promise<void>
}

/**
 * Finishes a companion job and keeps its answer, in one transaction. It is safe to repeat.
 * @returns false if the job was given up
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

/** Only this request can have completed the job. */
async function hasEnded(db: Database, id: string, status: JobStatus, errorCode: string | null): Promise<boolean> {
  return (await db.prisma.job.count({ where: { id, status, errorCode } })) === 1
}
