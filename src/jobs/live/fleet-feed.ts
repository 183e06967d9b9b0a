import { requireAccount } from '../../access/require.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { SnapshotFeed } from '../../concurrency/snapshot-feed.ts'
import type { Context, Parts } from '../../context/context.ts'
import { type FleetState, readFleet } from './read-fleet.ts'

const FLEET = 'fleet'

/** Shows this process's subscribers the queues and the workers, read once for all of them, and only while any follows. */
export class FleetFeed {
  readonly #subscriptions: Subscriptions
  readonly #states: SnapshotFeed<FleetState>

  /** `parts` is asked for no earlier than with the first subscription. */
  constructor(parts: () => Pick<Parts, 'db' | 'log'>, subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions
    this.#states = new SnapshotFeed({
      read: async () => [{ id: FLEET, ...(await readFleet(parts().db)) }],
      // No notification says how they change.
      refreshMs: 0,
      onFailure: ({ message }) => parts().log.warn({ err: message }, 'workers could not be read; trying again'),
    })
  }

  /** As they are now, and whenever they differ, no more often than asked for. @throws RATE_LIMITED */
  follow(ctx: Pick<Context, 'actor'>, everyMs: number): PullStream<FleetState> {
    const caller = requireAccount(ctx)
    return this.#states.follow(FLEET, everyMs, (onEnd) => this.#subscriptions.open(caller, { onEnd }))
  }
}

/** What following workers and pools needs. */
export interface FleetContext extends Context {
  readonly fleetFeed: FleetFeed
}
