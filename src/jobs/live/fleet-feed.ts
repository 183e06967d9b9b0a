import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import { requireAccount } from '../../access/require.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import { SHARED_QUEUES } from '../../catalog/job-kinds.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { SnapshotFeed } from '../../concurrency/snapshot-feed.ts'
import type { Context, Parts } from '../../context/context.ts'
import type { Database } from '../../db/database.ts'
import { type QueueDepth, queueDepths } from '../../queue/pgboss/queue-depth.ts'

const FLEET = 'fleet'

export interface Fleet {
  readonly workers: readonly Prisma.WorkerGetPayload<object>[]
  readonly depths: readonly QueueDepth[]
  /** Milliseconds of the database's clock. */
  readonly now: number
}

export interface FleetState extends Fleet {
  readonly id: string
}

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

/** The verb authorises the caller. */
export async function readFleet(db: Pick<Database, 'pool' | 'prisma'>): Promise<Fleet> {
  const [workers, depths, clock] = await Promise.all([
    db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }] }),
    queueDepths(db.pool, SHARED_QUEUES),
    db.pool.query<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'),
  ])
  return { workers, depths, now: clock.rows[0]?.now ?? Number.NaN }
}
