import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { ACCOUNT_CHANNEL } from '../accounts/notify-account.ts'
import type { Subscriptions } from '../callers/subscriptions.ts'
import { batched } from '../concurrency/batched.ts'
import { Drain } from '../concurrency/drain.ts'
import type { Identified } from '../concurrency/latest-stream.ts'
import type { PullStream } from '../concurrency/pull-stream.ts'
import { lazily } from '../concurrency/single-flight.ts'
import type { Context, Parts } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { idsOfAccount, ofAccount } from '../db/own/own-rows.ts'
import {
  type Follower,
  type Followers,
  type Interest,
  keptBy,
  mergeWanted,
  notifyFollowerOfGone,
  openFollowers,
  type Shape,
  tellFollower,
  type Values,
  type Wanted,
  wantedKey,
} from '../jobs/live/followers.ts'
import type { Ended } from '../jobs/live/job-feed.ts'
import { checkedEnded, checkedEveryMs } from '../jobs/live/jobs-updated.ts'
import { firstIdAt } from '../values/id.ts'
import {
  type DeliveriesFilter,
  type Delivery,
  deliveryConditions,
  matchesDelivery,
  readDeliveries,
  rejectDeliveryViolations,
  viewOf,
} from './webhook-deliveries.ts'

const MAX_BATCH = 200
const RETRY_MS = 250
/** Longer than a lost connection stays undetected; deliveries that ended within it are sent again. */
const RESYNC_WINDOW_MS = 300_000
const STATES: Shape<Followed, Delivery> = { of: (delivery) => delivery, left: null }
const CHANGES: Shape<Followed, DeliveryChange> = {
  of: (delivery) => ({ id: delivery.id, delivery }),
  left: (id) => ({ id, delivery: null }),
}
/** A whole message. */
const MAX_PENDING = 500
/** The most rows that do not match: an earlier list learns from them that they have left. */
const MAX_OTHERS = 100
const MAX_SEARCHED = 10_000
const MAX_NEWEST = 1000

const CHANGING = ['state', 'outcome', 'finishedAt', 'nextAttemptAt', 'attempts', 'round', 'attempt'] as const
export type ChangingDeliveryValue = (typeof CHANGING)[number]

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log' | 'now' | 'settings'>

/** `delivery` is null once it stops matching or is deleted. */
export interface DeliveryChange {
  readonly id: string
  readonly delivery: Delivery | null
}

interface Following {
  readonly filter: DeliveriesFilter
  readonly ended?: Ended | null
  readonly watched?: Interest['watched']
}

interface Followed extends Delivery {
  readonly endpointKey: string | null
}

/** Feeds this process's subscribers with changes of their accounts' deliveries. */
export class DeliveryFeed {
  readonly #parts: () => FeedParts
  readonly #followers: Followers<Followed>
  readonly #changed: Drain<string, Wanted<Followed>>
  readonly #listen: () => Promise<unknown>

  constructor(parts: () => FeedParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#followers = openFollowers(subscriptions)
    this.#changed = new Drain({
      maxBatch: MAX_BATCH,
      retryMs: RETRY_MS,
      work: (batch) => this.#read(batch),
      merge: mergeWanted,
      onFailure: ({ message }) => parts().log.warn({ err: message }, 'changed deliveries could not be read'),
    })
    this.#listen = lazily(() =>
      parts().notifier.listen(
        ACCOUNT_CHANNEL,
        (payload) => this.#onMessage(payload),
        () => this.#onResync(),
      ),
    )
  }

  /** @throws RATE_LIMITED for too many subscriptions */
  follow(ctx: Pick<Context, 'actor' | 'db'>, following: Following): Promise<PullStream<Delivery>> {
    return this.#open(ctx, following, STATES)
  }

  followChanges(ctx: Pick<Context, 'actor' | 'db'>, following: Following): Promise<PullStream<DeliveryChange>> {
    return this.#open(ctx, following, CHANGES)
  }

  async #open<T extends Identified>(
    ctx: Pick<Context, 'actor' | 'db'>,
    following: Following,
    shape: Shape<Followed, T>,
  ): Promise<PullStream<T>> {
    const caller = requireAccount(ctx)
    const { follower, states } = this.#followers.add(caller, interestIn(following), shape, true)
    try {
      await this.#listen()
      await this.#want(ctx.db, caller.accountId, following, new Set([follower]))
    } catch (error) {
      follower.finish()
      throw error
    }
    return states
  }

  #onMessage(payload: string): void {
    const [accountId = '', deliveryId] = payload.split(' ')
    if (deliveryId !== undefined && this.#followers.accounts.has(accountId)) this.#add(deliveryId, accountId)
  }

  #onResync(): void {
    const since = new Date(this.#parts().now().getTime() - RESYNC_WINDOW_MS)
    for (const [accountId, followers] of this.#followers.accounts) {
      for (const follower of followers) for (const id of keptBy(follower)) this.#add(id, accountId)
      this.#want(this.#parts().db, accountId, { filter: {}, ended: { since } }).catch(({ message }: Error) =>
        this.#parts().log.warn({ err: message }, 'subscribers were not sent what they missed'),
      )
    }
  }

  async #want(
    db: Pick<Database, 'pool'>,
    accountId: string,
    { filter, ended = null }: Following,
    followers: Wanted<Followed>['followers'] = null,
  ): Promise<void> {
    for (const id of await recentDeliveries(db, accountId, ended, filter)) this.#add(id, accountId, followers)
  }

  #add(id: string, accountId: string, followers: Wanted<Followed>['followers'] = null): void {
    this.#changed.add(wantedKey({ accountId, id }), { id, accountId, followers })
  }

  async #read(batch: ReadonlyMap<string, Wanted<Followed>>): Promise<void> {
    const parts = this.#parts()
    const wanted = [...batch.values()]
    const deliveries = await readDeliveries(parts, { id: { in: wanted.map(({ id }) => id) } })
    const keys = await this.#endpointKeys(deliveries)
    for (const delivery of deliveries.reverse()) {
      const followed = { ...delivery, endpointKey: keys.get(delivery.jobId) ?? null }
      const values = valuesOf(delivery, parts)
      for (const follower of this.#of(batch.get(wantedKey(delivery)))) tellFollower(follower, followed, values)
    }
    const there = new Set(deliveries.map(({ id }) => id))
    for (const one of wanted)
      if (!there.has(one.id)) for (const follower of this.#of(one)) notifyFollowerOfGone(follower, one.id)
  }

  #of(wanted: Wanted<Followed> | undefined): Iterable<Follower<Followed>> {
    return wanted?.followers ?? this.#followers.accounts.get(wanted?.accountId ?? '') ?? []
  }

  async #endpointKeys(deliveries: readonly Delivery[]): Promise<Map<string, string>> {
    const jobs = await this.#parts().db.prisma.job.findMany({
      where: { id: { in: deliveries.map(({ jobId }) => jobId) } },
      select: { id: true, endpointKey: true },
    })
    return new Map(jobs.map(({ id, endpointKey }) => [id, endpointKey]))
  }
}

function valuesOf(delivery: Delivery, parts: Pick<Parts, 'settings'>): Values {
  const { round, attempt } = delivery
  const all = { ...viewOf(delivery, parts), round, attempt }
  return Object.fromEntries(CHANGING.map((name) => [name, JSON.stringify(all[name])]))
}

const interestIn = ({ filter, watched = null }: Following): Interest<Followed> => ({
  jobId: null,
  watched,
  accepts: (delivery) => matchesDelivery(filter, delivery, delivery.endpointKey),
  // A redelivered delivery may have had any state, outcome, status and URL.
  mayHave: (delivery) =>
    (delivery.attempts.length > 0 || delivery.state !== 'pending' || delivery.round > 1) &&
    matchesDelivery(fixedIn(filter), delivery, delivery.endpointKey),
  mayHaveGone: (id) => {
    const { from, to } = filter.createdAt ?? {}
    const hadEnded = filter.states?.every((state) => state === 'pending') !== true
    return hadEnded && !(from && id < firstIdAt('msg', from)) && !(to && id >= firstIdAt('msg', to))
  },
})

/** The part of a filter by what never changes. */
const fixedIn = ({ jobId, createdAt, endpointKeys }: DeliveriesFilter): DeliveriesFilter => ({
  jobId,
  createdAt,
  endpointKeys,
})

interface DeliveryFeedContext extends Context {
  readonly deliveryFeed: DeliveryFeed
}

/** Finds matching pending deliveries, some other pending ones, and recent ones that ended since. Oldest first. */
export async function recentDeliveries(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  ended: Ended | null,
  filter: DeliveriesFilter = {},
): Promise<string[]> {
  const values: unknown[] = [accountId, ended?.since ?? null, ended?.atMost ?? null]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const { jobId, createdAt } = filter
  const within = deliveryConditions({ jobId, createdAt }, parameter)
  const text = `
    ${pending(MAX_PENDING, deliveryConditions(filter, parameter), within)} union ${pending(MAX_OTHERS)}
    union (select id from (
      select id, finished_at from webhook_delivery
      where $2::timestamptz is not null and ${ofAccount('$1')} order by ${idsOfAccount('desc')} limit ${MAX_NEWEST}
    ) newest where finished_at >= $2 order by id desc limit $3)
    order by id`
  const { rows } = await pool.query<{ id: string }>({ text, values })
  return rows.map(({ id }) => id)
}

/** Without an end to the search, a filter that matches few would read all that waits for a receiver. */
const pending = (most: number, conditions: readonly string[] = [], within: readonly string[] = []): string => `
  (select id from (
    select * from webhook_delivery d where ${[ofAccount('$1', 'd.'), `d.state = 'pending'`, ...within].join(' and ')}
    order by ${idsOfAccount('desc', 'd.')} limit ${MAX_SEARCHED}
  ) d where ${conditions.join(' and ') || 'true'} order by ${idsOfAccount('desc')} limit ${most})`

/**
 * Streams the account's matching deliveries, pending ones first; a slow reader gets only each latest state.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function deliveriesUpdated(
  ctx: DeliveryFeedContext,
  { filter, watched = null }: DeliveriesUpdatedInput,
): Promise<PullStream<Delivery>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  rejectDeliveryViolations(filter ?? {}, '/filter')
  return ctx.deliveryFeed.follow(ctx, { filter: filter ?? {}, watched })
}

export interface DeliveriesUpdatedInput {
  readonly filter?: DeliveriesFilter | null | undefined
  readonly watched?: Interest['watched']
}

export interface DeliveryChangesInput extends DeliveriesUpdatedInput {
  /** Milliseconds, 100 to 60,000; 1,000 by default. */
  readonly everyMs?: number | null | undefined
  /** 0 to 300,000; an earlier list may show deliveries as pending that ended in this time. */
  readonly endedWithinMs?: number | null | undefined
}

/**
 * Streams batches of changes, including deliveries that stop matching or are deleted.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function deliveryChanges(
  ctx: DeliveryFeedContext,
  { filter, watched = null, everyMs, endedWithinMs }: DeliveryChangesInput,
): Promise<PullStream<readonly DeliveryChange[]>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  rejectDeliveryViolations(filter ?? {}, '/filter')
  const every = checkedEveryMs(everyMs)
  const ended = checkedEnded(ctx, endedWithinMs)
  const changes = await ctx.deliveryFeed.followChanges(ctx, { filter: filter ?? {}, watched, ended })
  return batched(changes, every, ({ delivery }) => delivery === null)
}
