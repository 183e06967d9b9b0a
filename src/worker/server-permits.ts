import { serverLimits, serverQueues } from '../catalog/engine-server.ts'
import { openSemaphore, type Semaphore } from '../concurrency/semaphore.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { GENERATION_KIND, type JobKind, voiceKind } from '../queue/job-kind.ts'
import { openServerLine, type ServerLine, type ServerLines } from '../queue/server-line.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type Peer, type Share, shareOut } from './share-out.ts'
import { DEAD_AFTER_MS } from './worker.ts'

/** Permits that were not renewed for this long are not used: the others take a silent worker for dead a second later. */
const VALID_MS = DEAD_AFTER_MS - 1000
const LOCK = `select pg_advisory_xact_lock(hashtextextended('sonant permits', 0))`
/** How long a worker has a place that it gives up for one that serves another pool: a few heartbeats pass before that one has it. */
const ROUND_SECONDS = 10
const PEERS = `
  select id, pools, permits, heartbeat_at > now() - $2 * interval '1 millisecond' as shares,
    floor(extract(epoch from clock_timestamp()) / ${ROUND_SECONDS})::integer as round
  from worker where id <> $1 order by id`
/** The transaction may have waited for its turn longer than a dead worker is waited for: its beginning is then older than the last heartbeat. */
const GRANT = 'update worker set permits = $2, heartbeat_at = greatest(heartbeat_at, now()) where id = $1'

/** What of each server's `max_in_flight` this process may use: requests, of which a long text has many at once. */
export interface ServerPermits {
  /** Lets the requests to a server in. */
  slotsAt(server: string): Semaphore
  /** The lines of a kind's jobs at the servers that work on them. */
  linesOf(kind: JobKind): ServerLines
  /** Requests that this process may have open now at those servers. */
  countOf(kind: JobKind): number
  /** Shares the limits out again: to be called with every heartbeat of this worker, and when its pools or the catalog changed. */
  renew(): Promise<void>
}

const NO_REQUESTS = { inside: 0, waiting: 0 }

interface Gate {
  readonly slots: Semaphore
  readonly line: ServerLine
}

/**
 * The limits of all servers, of speech and of generations alike, are shared out between the living workers that take jobs for them, one
 * worker at a time, and each writes down what it may use before it uses it. A worker that joins gets its share as the others' requests end;
 * what a dead one wrote down is free again with its jobs, and not before.
 * @param queues those that this worker takes jobs from now; none once it is stopping
 */
export function openServerPermits(
  runtime: Pick<Runtime, 'catalog' | 'db' | 'workerId'>,
  queues: () => readonly string[],
): ServerPermits {
  const gates = new Map<string, Gate>()
  const watchers = new Map<string, () => void>()
  let shares = new Map<string, Share>()
  let validUntil = Number.NEGATIVE_INFINITY
  let renewing: Promise<void> = Promise.resolve()
  const servers = () => runtime.catalog.current

  const most = (server: string): number => {
    const share = performance.now() < validUntil ? shares.get(server) : undefined
    return share === undefined ? 0 : Math.min(share.fair, share.permits)
  }
  const gateAt = (server: string): Gate => {
    const known = gates.get(server)
    if (known !== undefined) return known
    const onRoom = (): void => {
      for (const queue of serverQueues(servers(), server)) watchers.get(queue)?.()
    }
    const here = () => most(server)
    const gate = { slots: openSemaphore(here), line: openServerLine({ most: here, onRoom }) }
    gates.set(server, gate)
    if (shares.size > 0 && !shares.has(server)) void renewInTurn().catch(() => undefined)
    return gate
  }
  const useOf = (server: string): { inUse: number; busy: boolean } => {
    const { slots, line } = gates.get(server) ?? { slots: NO_REQUESTS, line: NO_REQUESTS }
    const inUse = Math.max(slots.inside, line.inside)
    return { inUse, busy: inUse + slots.waiting > 0 }
  }

  const shareAll = (peers: readonly PeerNow[]): Map<string, Share> => {
    const mine = queues()
    const limits = serverLimits(servers())
    // A server that nothing names any more may still have work of this process.
    for (const server of gates.keys()) if (!limits.has(server)) limits.set(server, Math.max(1, useOf(server).inUse))
    return new Map(
      [...limits].map(([name, limit]) => {
        const server = { name, limit, queues: serverQueues(servers(), name) }
        const claimant = { id: runtime.workerId, queues: mine, ...useOf(name) }
        return [name, shareOut(server, claimant, peers, peers[0]?.round)]
      }),
    )
  }

  const renew = async (): Promise<void> => {
    const begun = performance.now()
    if (gates.size === 0 && serverLimits(servers()).size === 0) return
    const granted = await inTransaction(runtime.db, async (tx) => {
      await tx.query(LOCK)
      const next = shareAll(await readPeers(tx, runtime.workerId))
      // Until it is known to be written, no more is used than both the old and the new permits allow.
      shares = new Map([...next].map(([server, share]) => [server, lower(share, shares.get(server))]))
      const permits = [...next].flatMap(([server, share]) => (share.permits > 0 ? [[server, share.permits]] : []))
      const { rowCount } = await tx.query(GRANT, [runtime.workerId, JSON.stringify(Object.fromEntries(permits))])
      if (rowCount === 0) throw new Error('this worker is not registered')
      return next
    })
    shares = granted
    validUntil = begun + VALID_MS
    // Also where nothing has grown: the old permits may have run out meanwhile.
    for (const { slots, line } of gates.values()) {
      slots.widen()
      line.widen()
    }
  }

  const renewInTurn = (): Promise<void> => {
    const turn = renewing.then(renew)
    renewing = turn.catch(() => undefined)
    return turn
  }

  return {
    slotsAt: (server) => gateAt(server).slots,
    linesOf: (kind) => ({
      rooms: () => new Map([...serverLimits(servers(), kind).keys()].map((name) => [name, gateAt(name).line.room])),
      at: (server) => (serverLimits(servers(), kind).has(server) ? gateAt(server).line : undefined),
      watch: (look) => void watchers.set(kind.queue, look),
    }),
    countOf: (kind) => [...serverLimits(servers(), kind).keys()].reduce((sum, server) => sum + most(server), 0),
    renew: renewInTurn,
  }
}

const lower = (next: Share, last: Share | undefined): Share => ({
  fair: Math.min(next.fair, last?.fair ?? 0),
  permits: Math.min(next.permits, last?.permits ?? 0),
})

/** The queues of a worker with these pools. A worker that takes jobs at all generates, too; one that is stopping has no pools. */
export const queuesOf = (pools: readonly string[]): string[] =>
  pools.length === 0 ? [] : [GENERATION_KIND, ...pools.map(voiceKind)].map(({ queue }) => queue)

/** With the round that this is, by the clock of the database. */
type PeerNow = Peer & { readonly round: number }

async function readPeers(tx: Tx, workerId: string): Promise<PeerNow[]> {
  const { rows } = await tx.query<Omit<PeerNow, 'queues'> & { readonly pools: readonly string[] }>(PEERS, [
    workerId,
    DEAD_AFTER_MS,
  ])
  return rows.map(({ pools, ...peer }) => ({ ...peer, queues: queuesOf(pools) }))
}
