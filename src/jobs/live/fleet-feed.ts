import { requireAccount } from '../../access/require.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { SnapshotFeed } from '../../concurrency/snapshot-feed.ts'
import type { Context, Parts } from '../../context/context.ts'
import { type FleetState, readFleet } from './read-fleet.ts'

const FLEET = 'fleet'

/** Reads queues and workers once for all subscribers. */
export class FleetFeed {
  readonly #subscriptions: Subscriptions
  readonly #states: SnapshotFeed<FleetState>

  constructor(parts: () => Pick<Parts, 'db' | 'log'>, subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions
    this.#states = new SnapshotFeed({
      read: async () => [{ id: FLEET, ...(await readFleet(parts().db)) }],
      // No notification announces a change.
      refreshMs: 0,
      onFailure: ({ message }) => parts().log.warn({ err: message }, 'workers could not be read; trying again'),
    })
  }

  /**
   * Sends a state whenever it differs, at most every `everyMs`.
   * @throws RATE_LIMITED
   */
  follow(ctx: Pick<Context, 'actor'>, everyMs: number): PullStream<FleetState> {
    const caller = requireAccount(ctx)
    return this.#states.follow(FLEET, everyMs, (onEnd) => this.#subscriptions.open(caller, { onEnd }))
  }
}

export interface FleetContext extends Context {
  readonly fleetFeed: FleetFeed
}
