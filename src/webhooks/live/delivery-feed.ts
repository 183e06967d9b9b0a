import { requireAccount } from '../../access/require.ts'
import { ACCOUNT_CHANNEL } from '../../accounts/notify-account.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import { Drain } from '../../concurrency/drain.ts'
import type { LatestStream } from '../../concurrency/latest-stream.ts'
import { lazily } from '../../concurrency/lazily.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Context, Parts } from '../../context/context.ts'
import { type DeliveriesFilter, matchesDelivery } from '../history/deliveries-filter.ts'
import { type DeliveryView, readDeliveries } from '../history/delivery-view.ts'
import { recentDeliveries } from './recent-deliveries.ts'

const MAX_BATCH = 200
const RETRY_MS = 250
/** What ended this long before messages may have been missed is sent again: longer than a lost connection stays unnoticed. */
const RESYNC_WINDOW_MS = 300_000
/** Deliveries whose last state a subscription remembers, so that no state is sent twice. */
const MAX_REMEMBERED = 1000

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log' | 'now' | 'settings'>

interface Follower {
  readonly filter: DeliveriesFilter
  readonly stream: LatestStream<DeliveryView>
  /** Delivery id to what was sent last. */
  readonly sent: Map<string, string>
}

/** Notifies this process's subscribers of how their accounts' webhook deliveries change. */
export class DeliveryFeed {
  readonly #parts: () => FeedParts
  readonly #subscriptions: Subscriptions
  readonly #accounts = new Map<string, Set<Follower>>()
  readonly #changed: Drain<string, string>
  readonly #listen: () => Promise<unknown>

  /** Listens from the first subscription on; `parts` is asked for no earlier. */
  constructor(parts: () => FeedParts, subscriptions: Subscriptions) {
    this.#parts = parts
    this.#subscriptions = subscriptions
    this.#changed = new Drain({
      maxBatch: MAX_BATCH,
      retryMs: RETRY_MS,
      work: (batch) => this.#read(batch),
      merge: (_older, newer) => newer,
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

  /** Those that are pending now first, then every newer state. @throws RATE_LIMITED where there are too many subscriptions already */
  async follow(ctx: Pick<Context, 'actor' | 'db'>, filter: DeliveriesFilter): Promise<PullStream<DeliveryView>> {
    const caller = requireAccount(ctx)
    const followers = this.#accounts.get(caller.accountId) ?? new Set()
    const onEnd = (): void => {
      followers.delete(follower)
      if (followers.size === 0) this.#accounts.delete(caller.accountId)
    }
    const stream = this.#subscriptions.open<DeliveryView>(caller, { onEnd })
    const follower: Follower = { filter, stream, sent: new Map() }
    this.#accounts.set(caller.accountId, followers.add(follower))
    try {
      await this.#listen()
      await this.#want(caller.accountId, null)
    } catch (error) {
      stream.finish()
      throw error
    }
    return stream.states
  }

  #onMessage(payload: string): void {
    const [accountId = '', deliveryId] = payload.split(' ')
    if (deliveryId !== undefined && this.#accounts.has(accountId)) this.#changed.add(deliveryId, accountId)
  }

  #onResync(): void {
    const since = new Date(this.#parts().now().getTime() - RESYNC_WINDOW_MS)
    for (const accountId of this.#accounts.keys()) {
      this.#want(accountId, since).catch(({ message }: Error) =>
        this.#parts().log.warn({ err: message }, 'subscribers were not sent what they missed'),
      )
    }
  }

  async #want(accountId: string, endedSince: Date | null): Promise<void> {
    for (const id of await recentDeliveries(this.#parts().db, accountId, endedSince)) this.#changed.add(id, accountId)
  }

  async #read(batch: ReadonlyMap<string, string>): Promise<void> {
    const views = await readDeliveries(this.#parts(), { id: { in: [...batch.keys()] } })
    const keys = await this.#endpointKeys(views)
    for (const view of views.reverse()) {
      const followers = this.#accounts.get(batch.get(view.id) ?? '') ?? []
      for (const follower of followers) notify(follower, view, keys.get(view.jobId) ?? null)
    }
  }

  async #endpointKeys(views: readonly DeliveryView[]): Promise<Map<string, string>> {
    const jobs = await this.#parts().db.prisma.job.findMany({
      where: { id: { in: views.map(({ jobId }) => jobId) } },
      select: { id: true, endpointKey: true },
    })
    return new Map(jobs.map(({ id, endpointKey }) => [id, endpointKey]))
  }
}

function notify({ filter, stream, sent }: Follower, view: DeliveryView, endpointKey: string | null): void {
  if (!matchesDelivery(filter, view, endpointKey)) return
  const stamp = JSON.stringify(view)
  if (sent.get(view.id) === stamp) return
  sent.delete(view.id)
  sent.set(view.id, stamp)
  if (sent.size > MAX_REMEMBERED) sent.delete(sent.keys().next().value as string)
  stream.push(view)
}

/** What following deliveries needs. */
export interface DeliveryFeedContext extends Context {
  readonly deliveryFeed: DeliveryFeed
}
