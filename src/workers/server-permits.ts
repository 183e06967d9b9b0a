import { inTransaction, type Tx } from '../db/database.ts'
import { serverLimits, serverPools } from '../endpoints/engine-server.ts'
import { openSlots, type Slots } from '../engines/slots.ts'
import { openServerLine, type ServerLine, type ServerLines } from '../queue/server-line.ts'
import type { Runtime } from '../runtime.ts'
import { type Peer, type Share, shareOut } from './share-out.ts'
import { DEAD_AFTER_MS } from './worker.ts'

/** Permits that were not renewed for this long are not used: the others take a silent worker for dead a second later. */
const VALID_MS = DEAD_AFTER_MS - 1000
const LOCK = `select pg_advisory_xact_lock(hashtextextended('sonant permits', 0))`
const PEERS = `
  select id, pools, permits, heartbeat_at > now() - $2 * interval '1 millisecond' as holds,
    heartbeat_at > now() - $3 * interval '1 millisecond' as shares
  from worker where id <> $1 order by id`
const GRANT = 'update worker set permits = $2, heartbeat_at = now() where id = $1'

/** What of each server's `max_in_flight` this process may use: requests, of which a long text has many at once. */
export interface ServerPermits {
  /** Lets the requests to a server in. */
  slotsAt(server: string): Slots
  /** The lines of jobs at a pool's servers. */
  linesOf(pool: string): ServerLines
  /** Requests that this process may have open now at a pool's servers. */
  countOf(pool: string): number
  /**
   * Shares the limits out again: to be called with every heartbeat of this worker, and when its pools or the catalog changed.
   * @param silentMs a worker without a heartbeat for this long holds nothing any more
   */
  renew(silentMs?: number): Promise<void>
}

const NOBODY = { inside: 0, waiting: 0 }

interface Gate {
  readonly slots: Slots
  readonly line: ServerLine
}

/**
 * The limits are shared out between the living workers that serve a server's pools, one worker at a time, and each writes down what it
 * may use before it uses it. A worker that joins gets its share as the others' requests end.
 * @param pools those that this worker serves now; none once it is stopping
 */
export function openServerPermits(
  runtime: Pick<Runtime, 'catalog' | 'db' | 'workerId'>,
  pools: () => readonly string[],
): ServerPermits {
  const gates = new Map<string, Gate>()
  const watchers = new Map<string, () => void>()
  let shares = new Map<string, Share>()
  let validUntil = Number.NEGATIVE_INFINITY
  let renewing: Promise<void> = Promise.resolve()
  const endpoints = () => [...runtime.catalog.current.endpoints.values()]

  const most = (server: string): number => {
    const share = performance.now() < validUntil ? shares.get(server) : undefined
    return share === undefined ? 0 : Math.min(share.fair, share.permits)
  }
  const gateAt = (server: string): Gate => {
    const known = gates.get(server)
    if (known !== undefined) return known
    const onRoom = (): void => {
      for (const pool of serverPools(endpoints(), server)) watchers.get(pool)?.()
    }
    const here = () => most(server)
    const gate = { slots: openSlots(here), line: openServerLine({ most: here, onRoom }) }
    gates.set(server, gate)
    if (shares.size > 0 && !shares.has(server)) void renewInTurn().catch(() => undefined)
    return gate
  }
  const useOf = (server: string): { inUse: number; busy: boolean } => {
    const { slots, line } = gates.get(server) ?? { slots: NOBODY, line: NOBODY }
    const inUse = Math.max(slots.inside, line.inside)
    return { inUse, busy: inUse + slots.waiting > 0 }
  }

  const shareAll = (peers: readonly Peer[]): Map<string, Share> => {
    const mine = pools()
    const limits = serverLimits(endpoints())
    // A server that no endpoint names any more may still have work of this process.
    for (const server of gates.keys()) if (!limits.has(server)) limits.set(server, Math.max(1, useOf(server).inUse))
    return new Map(
      [...limits].map(([name, limit]) => {
        const server = { name, limit, pools: serverPools(endpoints(), name) }
        return [name, shareOut(server, { id: runtime.workerId, pools: mine, ...useOf(name) }, peers)]
      }),
    )
  }

  const renew = async (silentMs: number): Promise<void> => {
    const begun = performance.now()
    if (gates.size === 0 && serverLimits(endpoints()).size === 0) return
    const granted = await inTransaction(runtime.db, async (tx) => {
      await tx.query(LOCK)
      const next = shareAll(await readPeers(tx, runtime.workerId, silentMs))
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

  const renewInTurn = (silentMs = DEAD_AFTER_MS): Promise<void> => {
    const turn = renewing.then(() => renew(silentMs))
    renewing = turn.catch(() => undefined)
    return turn
  }

  return {
    slotsAt: (server) => gateAt(server).slots,
    linesOf: (pool) => ({
      rooms: () => new Map([...serverLimits(endpoints(), pool).keys()].map((name) => [name, gateAt(name).line.room])),
      at: (server) => (serverLimits(endpoints(), pool).has(server) ? gateAt(server).line : undefined),
      watch: (look) => void watchers.set(pool, look),
    }),
    countOf: (pool) => [...serverLimits(endpoints(), pool).keys()].reduce((sum, server) => sum + most(server), 0),
    renew: renewInTurn,
  }
}

const lower = (next: Share, last: Share | undefined): Share => ({
  fair: Math.min(next.fair, last?.fair ?? 0),
  permits: Math.min(next.permits, last?.permits ?? 0),
})

async function readPeers(tx: Tx, workerId: string, silentMs: number): Promise<Peer[]> {
  const values = [workerId, silentMs, DEAD_AFTER_MS]
  return (await tx.query<Peer & { readonly id: string }>(PEERS, values)).rows
}
