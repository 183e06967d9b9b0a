import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import type { Database } from '../../db/database.ts'
import { type QueueDepth, queueDepths } from '../../queue/pgboss/queue-depth.ts'

/** The queues and the workers that take jobs from them, at one moment. */
export interface Fleet {
  /** Newest heartbeat first. */
  readonly workers: readonly Prisma.WorkerGetPayload<object>[]
  readonly depths: readonly QueueDepth[]
  /** The database's clock, in milliseconds: heartbeats are written by it. */
  readonly now: number
}

/** What subscribers follow. Its clock goes on whatever happens: two moments are never alike. */
export interface FleetState extends Fleet {
  readonly id: string
}

/** Authorising the caller is left to verbs. */
export async function readFleet(db: Pick<Database, 'pool' | 'prisma'>): Promise<Fleet> {
  const [workers, depths, clock] = await Promise.all([
    db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }] }),
    queueDepths(db.pool),
    db.pool.query<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'),
  ])
  return { workers, depths, now: clock.rows[0]?.now ?? Number.NaN }
}
