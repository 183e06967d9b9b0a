import { JobFailure } from '../job-states.ts'
import { failJob } from './fail-job.ts'
import type { EndingParts } from './job-end.ts'

/**
 * Fails voice jobs that still wait although their endpoint was deleted, as a worker that takes one does: there may be no worker left
 * that serves their pool. Returns how many there were.
 */
export async function failOrphanedJobs(parts: EndingParts): Promise<number> {
  // A job that this process withdraws and dies before it can fail it is found as one that no queue holds.
  const orphaned = await parts.queue.withdrawOrphaned()
  for (const job of orphaned) await failJob(parts, job, endpointDeleted())
  return orphaned.length
}

/** Why a job fails whose endpoint is gone. */
export const endpointDeleted = (): JobFailure =>
  new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
