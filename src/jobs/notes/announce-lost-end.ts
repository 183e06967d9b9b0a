import type { Parts } from '../../context/context.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import type { JobFailure } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { type EndedJob, endedColumns, noteEnd } from './note-end.ts'

const ENDED = `
  select ${endedColumns('job')},
    (select coalesce(sum(amount), 0)::float8 from credit_entry where job_id = $1 and kind = 'refund') as refunded
  from job where id = $1 and attempt = coalesce($2, attempt) and status = $3 and error_code is not distinct from $4`

/**
 * Announces an end whose commit succeeded although its answer was lost.
 * @param claim without `attempt`: the last one
 * @param failure absent: completed
 * @returns whether the job has ended so
 */
export async function announceLostEnd(
  parts: Pick<Parts, 'db' | 'catalog' | 'log' | 'notifier'> & MeasuredParts,
  claim: { readonly jobId: string; readonly accountId: string; readonly attempt?: number },
  failure?: JobFailure,
): Promise<boolean> {
  const { jobId, attempt } = claim
  const status = failure === undefined ? 'completed' : 'failed'
  const { rows } = await parts.db.pool.query<EndedJob & { readonly refunded: number }>(ENDED, [
    jobId,
    attempt ?? null,
    status,
    failure?.code ?? null,
  ])
  const [ended] = rows
  if (ended === undefined) return false
  noteEnd(parts, { jobId, failure, refunded: ended.refunded }, ended)
  notifyJob(parts, claim)
  return true
}
