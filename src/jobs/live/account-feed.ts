import { requireAccount } from '../../access/require.ts'
import { account } from '../../accounts/accounts.ts'
import { ACCOUNT_CHANNEL } from '../../accounts/notify-account.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { lazily } from '../../concurrency/single-flight.ts'
import { SnapshotFeed } from '../../concurrency/snapshot-feed.ts'
import type { Context, Parts } from '../../context/context.ts'
import type { Database } from '../../db/database.ts'
import { JOB_CHANNEL } from './notify-job.ts'

const EVERY_MS = 1000
/** A notification may be lost with its sender. */
const REFRESH_MS = 10_000

const READ = `
  select a.id, a.credits::float8 as credits, to_json(j) as "jobCounts", to_json(d) as "deliveryCounts"
  from account a
  cross join lateral (select ${summed('status', ['queued', 'processing', 'completed', 'failed'])}
    from job_count where account_id = a.id) j
  cross join lateral (select ${summed('state', ['pending', 'succeeded', 'failed'])}
    from webhook_delivery_count where account_id = a.id) d
  where a.id = any($1)`

type FeedParts = Pick<Parts, 'db' | 'notifier' | 'log'>

export interface JobCounts {
  readonly queued: number
  readonly processing: number
  readonly completed: number
  readonly failed: number
}

/** Deliveries of the last 30 days by state. */
export interface DeliveryCounts {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
}

export interface AccountState {
  readonly id: string
  readonly credits: number
  readonly jobCounts: JobCounts
  readonly deliveryCounts: DeliveryCounts
}

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

interface AccountFeedContext extends Context {
  readonly accountFeed: AccountFeed
}

/**
 * The caller's account with balance and counts, now and after changes, at most once a second.
 * @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED
 */
export async function accountUpdated(ctx: AccountFeedContext): Promise<PullStream<AccountState>> {
  await account(ctx)
  return ctx.accountFeed.follow(ctx)
}

async function readAccountStates(db: Database, accountIds: readonly string[]): Promise<AccountState[]> {
  const { rows } = await db.pool.query<AccountState>({ name: 'account_states', text: READ, values: [accountIds] })
  return rows
}

function summed(column: string, values: readonly string[]): string {
  const counted = column === 'status' ? 'jobs' : 'deliveries'
  return values
    .map((value) => `coalesce(sum(${counted}) filter (where ${column} = '${value}'), 0)::float8 as ${value}`)
    .join(', ')
}
