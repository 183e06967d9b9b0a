import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import {
  type FilterParameters,
  parameterViolations,
  rejectViolations,
  toJobsFilter,
} from '../list/filter-parameters.ts'
import { type JobsFilter, rejectFilterViolations } from '../list/jobs-filter.ts'
import { matchesFilter } from '../list/matches-filter.ts'
import type { JobStates } from './followers.ts'
import type { FeedContext } from './job-feed.ts'

/** Which jobs: those that both filters mean. */
export interface JobsUpdatedInput {
  readonly filter?: FilterParameters | null | undefined
  readonly where?: JobsFilter | null | undefined
  /** Whether the subscriber shows nothing of how far a job has come. */
  readonly ignoresProgress?: boolean
}

/**
 * The jobs of the caller's account that match, whenever they change; first of all the unfinished ones as they are now. A reader that is
 * slow gets the latest state of each.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsUpdated(
  ctx: FeedContext,
  { filter, where, ignoresProgress = false }: JobsUpdatedInput,
): Promise<JobStates> {
  requireScope(ctx, JOB_READ_SCOPE)
  rejectViolations(parameterViolations(filter ?? {}))
  rejectFilterViolations(where ?? {}, '/where')
  const both: JobsFilter = { and: [toJobsFilter(filter ?? {}), where ?? {}] }
  return ctx.jobFeed.follow(ctx, { jobId: null, accepts: (job) => matchesFilter(both, job), ignoresProgress })
}
