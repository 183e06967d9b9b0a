import { JobFailure } from '../job-states.ts'
import { failJob } from './fail-job.ts'
import type { EndingParts } from './job-end.ts'

/**
 * Fails waiting voice jobs whose endpoint was deleted; their pool may have no worker.
 * @returns their number
 */
export async function failOrphanedJobs(parts: EndingParts): Promise<number> {
  // After a crash here, `rescueJobs` finds the job.
  const orphaned = await parts.queue.withdrawOrphaned()
  for (const job of orphaned) await failJob(parts, job, endpointDeleted())
  return orphaned.length
}

export const endpointDeleted = (): JobFailure =>
  new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
