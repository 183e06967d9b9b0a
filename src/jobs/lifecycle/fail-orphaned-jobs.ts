import type { Parts } from '../../context/context.ts'
import { voiceKind } from '../../queue/job-kind.ts'
import { JobFailure } from '../job-states.ts'
import { failJob } from './fail-job.ts'

/** What is taken out here and not failed, because this process dies in between, is found as a job that has lost its place. */
const TAKE_OUT = `
  delete from pgboss.job_common q using job j
  where q.state < 'active' and starts_with(q.name, $1) and j.id = q.data->>'jobId'
    and not exists (select from voice_endpoint e where j.endpoint_key = 'voice.' || e.slug)
  returning j.id, j.account_id, j.attempt`

interface Row {
  id: string
  account_id: string
  attempt: number
}

/**
 * Fails voice jobs that still wait although their endpoint was deleted, as a worker that takes one does: there may be no worker left
 * that serves their pool. Returns how many there were.
 */
export async function failDesertedJobs(parts: Parts): Promise<number> {
  const { rows } = await parts.db.pool.query<Row>(TAKE_OUT, [voiceKind('').queue])
  for (const { id, account_id, attempt } of rows) {
    await failJob(parts, { jobId: id, accountId: account_id, attempt }, endpointDeleted())
  }
  return rows.length
}

/** Why a job fails whose endpoint is gone. */
export const endpointDeleted = (): JobFailure =>
  new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
