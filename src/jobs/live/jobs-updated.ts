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

export interface JobsUpdatedInput {
  readonly filter?: FilterParameters | null | undefined
  readonly where?: JobsFilter | null | undefined
  readonly ignoresProgress?: boolean
}

/**
 * Matching jobs whenever they change, first the unfinished ones. Slow readers skip states.
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
