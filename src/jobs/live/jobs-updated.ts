import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { filterViolations, type JobFilter, rejectViolations } from '../list/job-filter.ts'
import type { FeedContext } from './job-feed.ts'
import type { JobStates } from './job-stream.ts'
import { matchesFilter } from './matches-filter.ts'

/**
 * The jobs of the caller's account that match, whenever they change; first of all the unfinished ones as they are now. A reader that is
 * slow gets the latest state of each.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsUpdated(
  ctx: FeedContext,
  input: { readonly filter?: JobFilter | null | undefined },
): Promise<JobStates> {
  requireScope(ctx, JOB_READ_SCOPE)
  const filter = input.filter ?? {}
  rejectViolations(filterViolations(filter))
  return ctx.jobFeed.follow(ctx, { jobId: null, accepts: (job) => matchesFilter(filter, job) })
}
