import { serverLimits, serverPools } from '../endpoints/engine-server.ts'
import type { Runtime } from '../runtime.ts'
import { DEAD_AFTER_MS } from './worker.ts'

const REFRESH_MS = 1000
/** A worker that joins others leaves them this long to see it and to make room. */
const SETTLE_MS = 3 * REFRESH_MS
const LIVING = `select id, pools from worker where heartbeat_at > now() - $1 * interval '1 millisecond' order by id`

/** What of each server's `max_in_flight` this process may use: requests, of which a long text has many at once. */
export interface ServerShares {
  /** Requests that this process may have at a server at once, at least 1. null: no endpoint is there. */
  of(server: string): number | null
  /** Jobs that may be at a pool's servers at once, over all workers; none until this process has its share. */
  limits(pool: string): Map<string, number>
  /** To be called once this worker is registered. */
  join(): Promise<void>
  end(): void
}

/**
 * Divides each server's limit among the living workers that serve its pools. Their shares add up to the limit where there are no more
 * workers than that; requests that ran before a worker joined are let run.
 */
export function openServerShares(runtime: Runtime, onSettled: () => void): ServerShares {
  let living: readonly { id: string; pools: readonly string[] }[] = []
  let settled = false
  const timers: NodeJS.Timeout[] = []
  const refresh = async (): Promise<void> => {
    const query = { name: 'living_workers', text: LIVING, values: [DEAD_AFTER_MS] }
    living = (await runtime.db.pool.query<{ id: string; pools: string[] }>(query)).rows
  }
  const settle = (): void => {
    settled = true
    onSettled()
  }
  const endpoints = () => [...runtime.catalog.current.endpoints.values()]
  return {
    of: (server) => {
      const limit = serverLimits(endpoints()).get(server)
      if (limit === undefined) return null
      const pools = serverPools(endpoints(), server)
      const others = living.filter((it) => it.id !== runtime.workerId && it.pools.some((pool) => pools.has(pool)))
      const sharers = others.length + 1
      const before = others.filter((it) => it.id < runtime.workerId).length
      return Math.max(1, Math.floor(limit / sharers) + (before < limit % sharers ? 1 : 0))
    },
    limits: (pool) => {
      const limits = serverLimits(endpoints(), pool)
      return settled ? limits : new Map([...limits.keys()].map((server) => [server, 0]))
    },
    join: async () => {
      await refresh()
      timers.push(setInterval(() => void refresh().catch(() => undefined), REFRESH_MS))
      if (living.every(({ id }) => id === runtime.workerId)) settle()
      else timers.push(setTimeout(settle, SETTLE_MS))
    },
    // A timer may be either kind.
    end: () => timers.forEach(clearInterval),
  }
}
