import type { Prisma } from '../../../prisma/generated/prisma/client.ts'
import type { Database } from '../../db/database.ts'
import { type QueueDepth, queueDepths } from '../../queue/pgboss/queue-depth.ts'

export interface Fleet {
  readonly workers: readonly Prisma.WorkerGetPayload<object>[]
  readonly depths: readonly QueueDepth[]
  /** Milliseconds of the database's clock. */
  readonly now: number
}

export interface FleetState extends Fleet {
  readonly id: string
}

/** The verb authorises the caller. */
export async function readFleet(db: Pick<Database, 'pool' | 'prisma'>): Promise<Fleet> {
  const [workers, depths, clock] = await Promise.all([
    db.prisma.worker.findMany({ orderBy: [{ heartbeatAt: 'desc' }, { id: 'asc' }] }),
    queueDepths(db.pool),
    db.pool.query<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'),
  ])
  return { workers, depths, now: clock.rows[0]?.now ?? Number.NaN }
}
