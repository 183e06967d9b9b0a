import { requireAccount } from '../../access/require.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { Identified } from '../../concurrency/latest-stream.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { lazily } from '../../concurrency/single-flight.ts'
import type { Context, Parts } from '../../context/context.ts'
import { type JobFetcher, openJobFetcher } from './fetch-jobs.ts'
import {
  anyWants,
  CHANGES,
  type FetchedJob,
  type Follower,
  type Followers,
  type GoneJob,
  type Interest,
  type JobChange,
  type JobStates,
  keptBy,
  notifyFollower,
  notifyFollowerOfGone,
  openFollowers,
  type Shape,
  STATES,
} from './followers.ts'
import { JOB_CHANNEL } from './notify-job.ts'
import { type EndedJobs, recentJobs } from './recent-jobs.ts'

/** A lost connection is noticed within this time. */
const RESYNC_WINDOW_MS = 300_000
const NONE: ReadonlySet<Follower> = new Set()

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log' | 'now'>

interface Following {
  readonly counted?: boolean
  readonly ended?: EndedJobs | null
}

export class JobFeed {
  readonly #parts: () => FeedParts
  readonly #followers: Followers
  readonly #fetcher: JobFetcher
  readonly #listen: () => Promise<unknown>

  constructor(parts: () => FeedParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#followers = openFollowers(subscriptions)
    const onGone = (gone: GoneJob): void => {
      for (const follower of this.#of(gone.accountId)) notifyFollowerOfGone(follower, gone)
    }
    this.#fetcher = openJobFetcher(parts, (fetched) => this.#notify(fetched), onGone)
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
    shape: Shape<T>,
    { counted = true, ended = null }: Following,
  ): Promise<PullStream<T>> {
    const caller = requireAccount(ctx)
    const { follower, states } = this.#followers.add(caller, interest, shape, counted)
    try {
      await this.#listen()
      const ids = interest.jobId === null ? await recentJobs(ctx.db, caller.accountId, ended) : [interest.jobId]
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
    for (const follower of followers) for (const jobId of keptBy(follower)) this.#fetcher.want(accountId, jobId)
    const since = new Date(this.#parts().now().getTime() - RESYNC_WINDOW_MS)
    for (const jobId of await recentJobs(this.#parts().db, accountId, { since })) this.#fetcher.want(accountId, jobId)
  }
}

export interface FeedContext extends Context {
  readonly jobFeed: JobFeed
}
