import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { batched } from '../../concurrency/batched.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Job } from '../job-shape.ts'
import { type JobsFilter, rejectFilterViolations } from '../list/jobs-filter.ts'
import { matchesFilter } from '../list/matches-filter.ts'
import type { FeedContext } from './job-feed.ts'

const DEFAULT_EVERY_MS = 1000
/** The shortest and the longest time between two messages. */
const EVERY_MS = { least: 100, most: 60_000 } as const

/** Which jobs, and how often at most. */
export interface JobsChangedInput {
  readonly filter?: JobsFilter | null | undefined
  /** 100 to 60,000; 1,000 unless given. */
  readonly everyMs?: number | null | undefined
}

/**
 * The jobs of the caller's account that match and have changed, each in its latest state, many together: once in the time that is asked
 * for, at most 500 of them. First of all the unfinished ones as they are now.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsChanged(ctx: FeedContext, input: JobsChangedInput): Promise<PullStream<readonly Job[]>> {
  requireScope(ctx, JOB_READ_SCOPE)
  const filter = input.filter ?? {}
  rejectFilterViolations(filter)
  const everyMs = checkedEveryMs(input.everyMs)
  const accepts = (job: Job): boolean => matchesFilter(filter, job)
  return batched(await ctx.jobFeed.follow(ctx, { jobId: null, accepts }), everyMs)
}

/** The time between two messages that a subscriber asks for. @throws INVALID_REQUEST: what is out of range is never clamped */
export function checkedEveryMs(everyMs: number | null | undefined): number {
  const given = everyMs ?? DEFAULT_EVERY_MS
  if (given >= EVERY_MS.least && given <= EVERY_MS.most) return given
  const details = [{ path: '/everyMs', message: `must be from ${EVERY_MS.least} to ${EVERY_MS.most}` }]
  throw invalidRequest('Invalid arguments: see `details`.', details)
}
