import type { Parts } from '../context/context.ts'
import { ENDED_AT } from '../jobs/job-times.ts'
import { tellJob } from '../jobs/live/notify-job.ts'

/** Added to the longest that a request may take: what it writes at its end waits as long as this for a database that is away. */
const GRACE_SECONDS = 45

/**
 * Fails companion jobs whose process died before it could finish them, and forgets their Idempotency-Keys: no caller was answered, so
 * the same request may be sent again. One job, or all. Returns how many there were.
 */
export async function failAbandonedJobs(
  parts: Pick<Parts, 'db' | 'bus' | 'companion'>,
  jobId: string | null = null,
): Promise<number> {
  const { rows } = await parts.db.pool.query<{ id: string; account_id: string }>(
    `with failed as (
       update job set status = 'failed', completed_at = ${ENDED_AT}, error_code = 'INTERNAL_ERROR',
         cause = 'the process ended before the request did'
       where status = 'processing' and type in ('companion_chat', 'companion_retarget', 'companion_media_tag')
         and started_at < now() - make_interval(secs => $1) and ($2::text is null or id = $2)
       returning id, account_id
     ), forgotten as (
       delete from idempotency_record r using failed where r.account_id = failed.account_id and r.job_id = failed.id
     )
     select id, account_id from failed`,
    [parts.companion.timeoutMs / 1000 + GRACE_SECONDS, jobId],
  )
  for (const row of rows) tellJob(parts, { accountId: row.account_id, jobId: row.id })
  return rows.length
}
