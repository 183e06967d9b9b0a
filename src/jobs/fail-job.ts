import type { Parts } from '../context.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { CALLBACK_URL, freezeDelivery } from '../webhooks/freeze-delivery.ts'
import type { Claim } from './claim-job.ts'
import { type JobFailure, statesBefore } from './job-states.ts'

/** A job as far as failing it goes: whose it is, and the attempt that is known of it. */
export type FailableJob = Pick<Claim, 'jobId' | 'accountId' | 'attempt'>

const FAILABLE = statesBefore('failed')

/**
 * Fails a job, gives its charge back and freezes its callback, in one transaction and at most once. The cause is kept for the
 * operator only. Returns false where a worker has taken the job since this attempt number was read, or the job has ended: then
 * nothing was written.
 */
export async function failJob(parts: Parts, claim: FailableJob, failure: JobFailure): Promise<boolean> {
  let frozen = false
  const failed = await inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ callback_url: string | null }>(
      `update job set status = 'failed', completed_at = now(), error_code = $3, cause = $4
       where id = $1 and attempt = $2 and status = any($5::job_status[]) returning ${CALLBACK_URL}`,
      [claim.jobId, claim.attempt, failure.code, failure.message, FAILABLE],
    )
    if (rows[0] === undefined) return false
    await refund(tx, claim)
    const url = rows[0].callback_url
    if (url !== null) await freezeDelivery(parts, tx, { ...claim, kind: 'job' }, url)
    frozen = url !== null
    return true
  })
  if (frozen) parts.queue.wake(WEBHOOK_KIND)
  return failed
}

async function refund(tx: Tx, claim: FailableJob): Promise<void> {
  const { rows } = await tx.query<{ amount: string }>(
    `insert into credit_entry (account_id, kind, amount, job_id)
     select account_id, 'refund', -amount, job_id from credit_entry where job_id = $1 and kind = 'charge'
     on conflict (job_id, kind) do nothing
     returning amount`,
    [claim.jobId],
  )
  const entry = rows[0]
  if (entry === undefined) return
  await tx.query('update account set credits = credits + $2 where id = $1', [claim.accountId, entry.amount])
}
