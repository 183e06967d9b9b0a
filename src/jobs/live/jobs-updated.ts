import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import {
  type FilterParameters,
  parameterViolations,
  rejectViolations,
  toJobsFilter,
} from '../list/filter-parameters.ts'
import { matchesFilter } from '../list/matches-filter.ts'
import type { JobStates } from './followers.ts'
import type { FeedContext } from './job-feed.ts'

/**
 * The jobs of the caller's account that match, whenever they change; first of all the unfinished ones as they are now. A reader that is
 * slow gets the latest state of each.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsUpdated(
  ctx: FeedContext,
  input: { readonly filter?: FilterParameters | null | undefined },
): Promise<JobStates> {
  requireScope(ctx, JOB_READ_SCOPE)
  rejectViolations(parameterViolations(input.filter ?? {}))
  const filter = toJobsFilter(input.filter ?? {})
  return ctx.jobFeed.follow(ctx, { jobId: null, accepts: (job) => matchesFilter(filter, job) })
}
