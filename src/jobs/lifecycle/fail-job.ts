import type { Parts } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { CALLBACK_URL, freezeDelivery } from '../../webhooks/delivery/create-delivery.ts'
import { type JobFailure, statesBefore } from '../job-states.ts'
import { ENDED_AT } from '../job-times.ts'
import { tellJob } from '../live/notify-job.ts'
import type { Claim } from './claim-job.ts'
import type { Provenance } from './complete-job.ts'
import { refundJob } from './refund-job.ts'

/** A job as far as failing it goes: whose it is, and the attempt that is known of it. */
type FailableJob = Pick<Claim, 'jobId' | 'accountId' | 'attempt'>

const FAILABLE = statesBefore('failed')

/**
 * Fails a job, gives its charge back and freezes its callback, in one transaction and at most once. The cause is kept for the
 * operator only, and what the engine said of its work as it is for completed jobs. Returns false where a worker has taken the job since this attempt number was read, or the job has ended: then
 * nothing was written.
 */
export async function failJob(
  parts: Parts,
  claim: FailableJob,
  failure: JobFailure,
  { providerJobId = null, gpuExecutionTimeMs = null }: Provenance = {},
): Promise<boolean> {
  let frozen = false
  const failed = await inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ callback_url: string | null }>(
      `update job set status = 'failed', completed_at = ${ENDED_AT}, error_code = $3, cause = $4,
         provider_job_id = coalesce($6, provider_job_id), gpu_execution_time_ms = case when $6::text is null then gpu_execution_time_ms else $7 end
       where id = $1 and attempt = $2 and status = any($5::job_status[]) returning ${CALLBACK_URL}`,
      [claim.jobId, claim.attempt, failure.code, failure.message, FAILABLE, providerJobId, gpuExecutionTimeMs],
    )
    if (rows[0] === undefined) return false
    await refundJob(tx, claim.jobId)
    const url = rows[0].callback_url
    if (url !== null) await freezeDelivery(parts, tx, { ...claim, kind: 'job' }, url)
    frozen = url !== null
    return true
  })
  if (frozen) parts.queue.wake(WEBHOOK_KIND)
  if (failed) tellJob(parts, claim)
  return failed
}
