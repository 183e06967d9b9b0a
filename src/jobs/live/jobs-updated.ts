import { requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { batched } from '../../concurrency/batched.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { job } from '../job.ts'
import type { Job } from '../job-shape.ts'
import {
  type FilterParameters,
  type JobsFilter,
  matchesFilter,
  mayHaveMatched,
  namesIn,
  parameterViolations,
  rejectViolations,
  requireFilter,
  toJobsFilter,
} from '../list/jobs-filter.ts'
import { refuseWords } from '../list/search-words.ts'
import type { Interest, JobChange, JobStates } from './followers.ts'
import type { Ended, FeedContext } from './job-feed.ts'

const DEFAULT_EVERY_MS = 1000
const EVERY_MS = { least: 100, most: 60_000 } as const
const ENDED_WITHIN_MS = { least: 0, most: 300_000 } as const

const MAX_ENDED = 300
const FOLLOW_IDS = 'Follow the found jobs by their ids: no subscription searches by words.'

export interface JobsUpdatedInput {
  readonly filter?: FilterParameters | null | undefined
  readonly where?: JobsFilter | null | undefined
  readonly watched?: Interest['watched']
}

export interface JobsChangedInput {
  readonly filter?: JobsFilter | null | undefined
  /** 100 to 60,000; 1,000 unless given. */
  readonly everyMs?: number | null | undefined
  /** 0 to 300,000; an earlier list may show jobs as unfinished that ended in this time. */
  readonly endedWithinMs?: number | null | undefined
  readonly watched?: Interest['watched']
}

/**
 * Matching jobs whenever they change, first the unfinished ones. Slow readers skip states.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsUpdated(
  ctx: FeedContext,
  { filter, where, watched = null }: JobsUpdatedInput,
): Promise<JobStates> {
  requireScope(ctx, JOB_READ_SCOPE)
  rejectViolations(parameterViolations(filter ?? {}))
  requireFilter(ctx, where ?? {}, '/where')
  refuseWords(where ?? {}, FOLLOW_IDS, '/where')
  const both: JobsFilter = { and: [toJobsFilter(filter ?? {}), where ?? {}] }
  return ctx.jobFeed.follow(ctx, interestIn(both, watched), { filter: both })
}

/**
 * A job's state now and after changes, until it ends. States may be skipped, except the last.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED
 */
export async function jobUpdated(
  ctx: FeedContext,
  { watched = null, ...input }: { readonly jobId: string; readonly watched?: Interest['watched'] },
): Promise<JobStates> {
  const { id: jobId } = await job(ctx, input)
  return ctx.jobFeed.follow(ctx, { jobId, accepts: () => true, watched })
}

/**
 * Batches of up to 500 changed jobs that match, first the unfinished ones and up to 300 that ended recently.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobsChanged(ctx: FeedContext, input: JobsChangedInput): Promise<PullStream<readonly Job[]>> {
  const { interest, everyMs, ...following } = checked(ctx, input)
  return batched(await ctx.jobFeed.follow(ctx, interest, following), everyMs)
}

/**
 * The same, and reports jobs that leave.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobChanges(ctx: FeedContext, input: JobsChangedInput): Promise<PullStream<readonly JobChange[]>> {
  const { interest, everyMs, ...following } = checked(ctx, input)
  const changes = await ctx.jobFeed.followChanges(ctx, interest, following)
  return batched(changes, everyMs, (change) => change.job === null)
}

interface Checked {
  readonly interest: Interest
  readonly everyMs: number
  readonly filter: JobsFilter
  readonly ended: Ended | null
}

function checked(ctx: FeedContext, { watched = null, ...input }: JobsChangedInput): Checked {
  requireScope(ctx, JOB_READ_SCOPE)
  const filter = input.filter ?? {}
  requireFilter(ctx, filter)
  refuseWords(filter, FOLLOW_IDS)
  const everyMs = checkedEveryMs(input.everyMs)
  const ended = checkedEnded(ctx, input.endedWithinMs)
  return { interest: interestIn(filter, watched), everyMs, filter, ended }
}

const interestIn = (filter: JobsFilter, watched: Interest['watched']): Interest => ({
  jobId: null,
  readsDeliveries: namesIn(filter).has('deliveryStates'),
  accepts: (job) => matchesFilter(filter, job),
  mayHaveGone: (id) => mayHaveMatched(filter, id),
  watched: watched ?? null,
})

/** @throws INVALID_REQUEST */
export function checkedEveryMs(everyMs: number | null | undefined): number {
  const given = everyMs ?? DEFAULT_EVERY_MS
  requireWithin('/everyMs', given, EVERY_MS)
  return given
}

/** @throws INVALID_REQUEST */
export function checkedEnded({ now }: Pick<Context, 'now'>, ms: number | null | undefined): Ended | null {
  if (ms == null) return null
  requireWithin('/endedWithinMs', ms, ENDED_WITHIN_MS)
  return { since: new Date(now().getTime() - ms), atMost: MAX_ENDED }
}

function requireWithin(path: string, given: number, { least, most }: { least: number; most: number }): void {
  if (given >= least && given <= most) return
  throw invalidRequest('Invalid arguments: see `details`.', [{ path, message: `must be from ${least} to ${most}` }])
}
