import { requireAccount } from '../../access/require.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import { Drain } from '../../concurrency/drain.ts'
import type { Identified } from '../../concurrency/latest-stream.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { lazily } from '../../concurrency/single-flight.ts'
import type { Context, Parts } from '../../context/context.ts'
import type { Database } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { isVoiceLoading, JOB_TABLES, type Job, PAGE_COLUMNS } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'
import { conditionsOf, DELIVERY_STATES, idConditionsOf, type JobsFilter } from '../list/jobs-filter.ts'
import {
  anyReadsDeliveries,
  anyWants,
  CHANGES,
  earlierStates,
  type FetchedJob,
  type Follower,
  type Followers,
  type Interest,
  type JobChange,
  type JobStates,
  keptBy,
  mergeWanted,
  notifyFollower,
  notifyFollowerOfGone,
  openFollowers,
  type Shape,
  STATES,
  type Values,
  type Wanted,
  wantedKey,
} from './followers.ts'
import { JOB_CHANNEL } from './notify-job.ts'
import { watchDeliveries } from './watch-deliveries.ts'

/** A lost connection is noticed within this time. */
const RESYNC_WINDOW_MS = 300_000
const NONE: ReadonlySet<Follower> = new Set()
const MAX_BATCH = 500
const RETRY_MS = 250
const TURN_MS = 5
/** A whole message. */
const MAX_UNFINISHED = 500
/** The most rows of each status that do not match: an earlier list learns from them that they have left. */
const MAX_OTHERS = 100
/** The most rows of each status. */
const MAX_SEARCHED = 10_000
const MAX_NEWEST = 1000

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log' | 'now'>

interface Following {
  readonly counted?: boolean
  /** The subscription begins with the unfinished jobs that match. */
  readonly filter?: JobsFilter
  readonly ended?: Ended | null
}

interface FetchListener {
  notify(fetched: FetchedJob): void
  notifyGone(accountId: string, jobId: string): void
  /** Says if anybody follows jobs of the account by their deliveries. */
  isWatched(accountId: string): boolean
}

interface JobFetcher {
  want(accountId: string, jobId: string, follower?: Follower): void
}

/** Rows that ended lately; all of them among the newest unless `atMost` is given. */
export interface Ended {
  readonly since: Date
  readonly atMost?: number
}

export class JobFeed {
  readonly #parts: () => FeedParts
  readonly #followers: Followers
  readonly #fetcher: JobFetcher
  readonly #listen: () => Promise<unknown>
  readonly #listenToDeliveries: () => Promise<unknown>

  constructor(parts: () => FeedParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#followers = openFollowers(subscriptions)
    const onGone = (accountId: string, jobId: string): void => {
      for (const follower of this.#of(accountId)) notifyFollowerOfGone(follower, jobId)
    }
    const isWatched = (accountId: string) => anyReadsDeliveries(this.#of(accountId))
    this.#fetcher = openJobFetcher(parts, { notify: (fetched) => this.#notify(fetched), notifyGone: onGone, isWatched })
    this.#listenToDeliveries = watchDeliveries(parts, {
      isWatched,
      want: (accountId, jobId) => this.#fetcher.want(accountId, jobId),
      wantAll: (accountId) => this.#wantKept(accountId),
    })
    this.#listen = lazily(() =>
      parts().notifier.listen(
        JOB_CHANNEL,
        (payload) => this.#onMessage(payload),
        () => this.#onResync(),
      ),
    )
  }

  /**
   * Sends present states first, then newer ones.
   * @throws RATE_LIMITED if there are too many subscriptions
   */
  follow(ctx: Pick<Context, 'actor' | 'db'>, interest: Interest, options: Following = {}): Promise<JobStates> {
    return this.#open(ctx, interest, STATES, options)
  }

  followChanges(
    ctx: Pick<Context, 'actor' | 'db'>,
    interest: Interest,
    options: Following = {},
  ): Promise<PullStream<JobChange>> {
    return this.#open(ctx, interest, CHANGES, options)
  }

  async #open<T extends Identified>(
    ctx: Pick<Context, 'actor' | 'db'>,
    interest: Interest,
    shape: Shape<Job, T>,
    { counted = true, filter, ended = null }: Following,
  ): Promise<PullStream<T>> {
    const caller = requireAccount(ctx)
    const mayHave = (job: Job) => earlierStates(job).some((earlier) => interest.accepts(earlier))
    const { follower, states } = this.#followers.add(caller, { ...interest, mayHave }, shape, counted)
    try {
      await this.#listen()
      if (interest.readsDeliveries) await this.#listenToDeliveries()
      const ids = interest.jobId === null ? await recentJobs(ctx.db, caller.accountId, ended, filter) : [interest.jobId]
      for (const jobId of ids) this.#fetcher.want(caller.accountId, jobId, follower)
    } catch (error) {
      follower.finish()
      throw error
    }
    return states
  }

  #of(accountId: string): ReadonlySet<Follower> {
    return this.#followers.accounts.get(accountId) ?? NONE
  }

  #wantKept(accountId: string): void {
    for (const follower of this.#of(accountId))
      for (const jobId of keptBy(follower)) this.#fetcher.want(accountId, jobId)
  }

  #notify(fetched: FetchedJob): void {
    for (const follower of fetched.followers ?? this.#of(fetched.job.accountId)) notifyFollower(follower, fetched)
  }

  #onMessage(payload: string): void {
    const [accountId = '', jobId = ''] = payload.split(' ')
    if (anyWants(this.#of(accountId), jobId)) this.#fetcher.want(accountId, jobId)
  }

  #onResync(): void {
    for (const [accountId, followers] of this.#followers.accounts) {
      this.#replay(accountId, followers).catch((error: Error) => {
        this.#parts().log.warn({ err: error.message }, 'subscribers were not sent what they missed')
      })
    }
  }

  async #replay(accountId: string, followers: ReadonlySet<Follower>): Promise<void> {
    const single = [...followers].flatMap(({ interest }) => interest.jobId ?? [])
    for (const jobId of single) this.#fetcher.want(accountId, jobId)
    if (single.length === followers.size) return
    this.#wantKept(accountId)
    const since = new Date(this.#parts().now().getTime() - RESYNC_WINDOW_MS)
    for (const jobId of await recentJobs(this.#parts().db, accountId, { since })) this.#fetcher.want(accountId, jobId)
  }
}

export interface FeedContext extends Context {
  readonly jobFeed: JobFeed
}

/** Runs one statement at a time, so no subscriber gets an older state after a newer one. */
function openJobFetcher(
  parts: () => Pick<Parts, 'db' | 'log'>,
  { notify, notifyGone, isWatched }: FetchListener,
): JobFetcher {
  const fetchBatch = async (batch: ReadonlyMap<string, Wanted>): Promise<void> => {
    const wanted = [...batch.values()]
    const withDeliveries = wanted.some(({ accountId }) => isWatched(accountId))
    const ids = wanted.map(({ id }) => id)
    const jobs = await readJobs(parts(), ids, withDeliveries)
    let since = performance.now()
    for (const { id, accountId, followers } of wanted) {
      const job = jobs.get(id)
      if (job === undefined) notifyGone(accountId, id)
      if (job?.accountId !== accountId) continue
      notify({ job, values: valuesOf(job), followers })
      if (performance.now() - since < TURN_MS) continue
      await nextTurn()
      since = performance.now()
    }
  }
  const changed = new Drain<string, Wanted>({
    maxBatch: MAX_BATCH,
    retryMs: RETRY_MS,
    work: fetchBatch,
    merge: mergeWanted,
    onFailure: ({ message }) => parts().log.warn({ err: message }, 'changed jobs could not be read; trying again'),
  })
  return {
    want: (accountId, id, follower) => {
      const wanted = { id, accountId, followers: follower === undefined ? null : new Set([follower]) }
      changed.add(wantedKey(wanted), wanted)
    },
  }
}

interface ReadJob extends Job {
  readonly releases: number
  readonly waitsAgain: boolean | null
}

export type ChangingValue = keyof ReturnType<typeof changingOf>

const changingOf = ({
  status,
  attempt,
  startedAt,
  isProhibited,
  chunksDone,
  chunksTotal,
  partsDone,
  ...job
}: ReadJob) => ({
  ...{ status, attempt, startedAt: startedAt?.getTime(), isProhibited, chunksDone, chunksTotal, partsDone },
  hasReason: job.reason !== null,
  releases: Math.min(attempt, job.releases),
  waitsAgain: job.waitsAgain,
  isQueued: status === 'queued',
  isCompleted: status === 'completed',
  isFailed: status === 'failed',
  isVoiceLoading: isVoiceLoading({ status, attempt, loadingAttempt: job.loadingAttempt }),
  isOver: isTerminal(status),
  hasRun: isTerminal(status) && startedAt !== null,
  hasTried: isTerminal(status) && attempt > 0,
})

const valuesOf = (job: ReadJob): Values =>
  Object.fromEntries(Object.entries(changingOf(job)).map(([name, value]) => [name, String(value)]))

/** A join or EXISTS may read all attempts. */
const WAITS_AGAIN = `case when j.status = 'processing' then
  (select a.ended_at is not null from job_attempt a where a.job_id = j.id and a.attempt = j.attempt) end`

async function readJobs(
  { db }: Pick<Parts, 'db'>,
  jobIds: readonly string[],
  withDeliveries: boolean,
): Promise<ReadonlyMap<string, ReadJob>> {
  const { rows } = await db.pool.query<ReadJob>({
    name: withDeliveries ? 'fetch_delivered_jobs' : 'fetch_jobs',
    text: `select ${PAGE_COLUMNS}, j.hand_backs as releases, ${WAITS_AGAIN} as "waitsAgain"${withDeliveries ? `, ${DELIVERY_STATES}` : ''}
           from ${JOB_TABLES} where j.id = any($1)`,
    values: [jobIds],
  })
  return new Map(rows.map((job) => [job.id, job]))
}

/** Ids of unfinished jobs that match and of some others, oldest first, then of recent jobs that ended since. */
export async function recentJobs(
  db: Pick<Database, 'pool'>,
  accountId: string,
  ended: Ended | null,
  filter: JobsFilter = {},
): Promise<string[]> {
  const values: unknown[] = [accountId, ended?.since ?? null, ended?.atMost ?? null]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const matching = { conditions: conditionsOf(filter, parameter), within: idConditionsOf(filter, parameter) }
  const text = `
    select id from (
      (select 0 as place, id from (
        ${newest('processing', MAX_UNFINISHED, matching)} union all ${newest('queued', MAX_UNFINISHED, matching)}
      ) matching order by status desc, id desc limit ${MAX_UNFINISHED})
      union (select 0, id from (${newest('processing', MAX_OTHERS)} union all ${newest('queued', MAX_OTHERS)}) others)
      union (select 1, id from (
        select id, completed_at from job where $2::timestamptz is not null and ${ofAccount('$1')} order by ${idsOfAccount('desc')} limit ${MAX_NEWEST}
      ) newest where completed_at >= $2 order by id desc limit $3)
    ) recent order by place, id`
  const { rows } = await db.pool.query<{ id: string }>({ text, values })
  return rows.map(({ id }) => id)
}

/** Without an end to the search, a filter that matches few would read a whole queue. */
const newest = (
  status: 'queued' | 'processing',
  most: number,
  { conditions, within }: Record<'conditions' | 'within', readonly string[]> = { conditions: [], within: [] },
): string => `
  (select id, status from (
    select * from job where ${[ofAccount('$1'), `status = '${status}'`, ...within].join(' and ')} order by ${idsOfAccount('desc')} limit ${MAX_SEARCHED}
  ) job where ${conditions.join(' and ') || 'true'} order by ${idsOfAccount('desc')} limit ${most})`
