import { requireAccount } from '../../access/require.ts'
import { ACCOUNT_CHANNEL } from '../../accounts/notify-account.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { lazily } from '../../concurrency/single-flight.ts'
import { SnapshotFeed } from '../../concurrency/snapshot-feed.ts'
import type { Context, Parts } from '../../context/context.ts'
import { JOB_CHANNEL } from './notify-job.ts'
import { type AccountState, readAccountStates } from './read-account-states.ts'

const EVERY_MS = 1000
/** A notification may be lost with its sender. */
const REFRESH_MS = 10_000

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log'>

export class AccountFeed {
  readonly #subscriptions: Subscriptions
  readonly #states: SnapshotFeed<AccountState>
  readonly #listen: () => Promise<unknown>

  constructor(parts: () => FeedParts, subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions
    this.#states = new SnapshotFeed({
      read: (ids) => readAccountStates(parts().db, ids),
      refreshMs: REFRESH_MS,
      onFailure: ({ message }) => parts().log.warn({ err: message }, 'balances could not be read; trying again'),
    })
    const onMessage = (payload: string) => this.#states.invalidate(payload.split(' ', 1)[0] ?? '')
    const onResync = () => this.#states.invalidateAll()
    this.#listen = lazily(() =>
      Promise.all([JOB_CHANNEL, ACCOUNT_CHANNEL].map((name) => parts().notifier.listen(name, onMessage, onResync))),
    )
  }

  /**
   * The caller's account now and after changes, at most once a second.
   * @throws RATE_LIMITED
   */
  async follow(ctx: Pick<Context, 'actor'>): Promise<PullStream<AccountState>> {
    const caller = requireAccount(ctx)
    await this.#listen()
    return this.#states.follow(caller.accountId, EVERY_MS, (onEnd) => this.#subscriptions.open(caller, { onEnd }))
  }
}

export interface AccountFeedContext extends Context {
  readonly accountFeed: AccountFeed
}
