import type { Tx } from '../db/database.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { endJob } from '../jobs/lifecycle/end-job.ts'
import type { CompanionContext } from './companion.ts'

/** Added to the longest that a request may take: what it writes at its end waits as long as this for a database that is away. */
const GRACE_SECONDS = 45

/**
 * Fails companion jobs whose process died before it could finish them, and forgets their Idempotency-Keys: no caller was answered, so
 * the same request may be sent again. One job, or all. Returns how many there were.
 */
export async function failAbandonedJobs(
  parts: Omit<CompanionContext, 'actor'>,
  jobId: string | null = null,
): Promise<number> {
  const { rows } = await parts.db.pool.query<{ id: string; account_id: string }>(
    `select id, account_id from job
     where status = 'processing' and type in ('companion_chat', 'companion_retarget', 'companion_media_tag')
       and started_at < now() - make_interval(secs => $1) and ($2::text is null or id = $2)`,
    [parts.companion.timeoutMs / 1000 + GRACE_SECONDS, jobId],
  )
  const failure = new JobFailure('INTERNAL_ERROR', 'the process ended before the request did')
  let failed = 0
  for (const { id, account_id: accountId } of rows) {
    const forget = (tx: Tx) => forgetRequest(tx, accountId, id)
    if (await endJob(parts, { jobId: id, accountId, failure, also: forget })) failed++
  }
  return failed
}

async function forgetRequest(tx: Tx, accountId: string, jobId: string): Promise<void> {
  await tx.query('delete from idempotency_record where account_id = $1 and job_id = $2', [accountId, jobId])
}
