import type { Tx } from '../db/database.ts'
import { jobKinds } from '../queue/job-kind.ts'
import type { Peer } from './share-out.ts'
import { DEAD_AFTER_MS } from './worker.ts'

const ROUND_SECONDS = 10
const PEERS = `
  select id, pools, permits, heartbeat_at > now() - $2 * interval '1 millisecond' as shares,
    floor(extract(epoch from clock_timestamp()) / ${ROUND_SECONDS})::integer as round
  from worker where id <> $1 order by id`

/** Queues of a worker with these pools; a stopping worker has none, any other also generates. */
export const queuesOf = (pools: readonly string[]): string[] =>
  pools.length === 0 ? [] : jobKinds(pools).map(({ queue }) => queue)

export type PeerNow = Peer & { readonly round: number }

/** Includes dead workers, whose permits become free only with their jobs. */
export async function readPeers(tx: Tx, workerId: string): Promise<PeerNow[]> {
  const { rows } = await tx.query<Omit<PeerNow, 'queues'> & { readonly pools: readonly string[] }>(PEERS, [
    workerId,
    DEAD_AFTER_MS,
  ])
  return rows.map(({ pools, ...peer }) => ({ ...peer, queues: queuesOf(pools) }))
}
