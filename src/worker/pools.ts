import { requireOperator } from '../access/require.ts'
import { serverLimits, sharedQueues } from '../catalog/engine-server.ts'
import { placeOfServer } from '../catalog/files/hidden-password.ts'
import { SHARED_QUEUES } from '../catalog/job-kinds.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { CatalogSnapshot } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { type Fleet, type FleetContext, type FleetState, readFleet } from '../jobs/live/fleet-feed.ts'
import { checkedEveryMs } from '../jobs/live/jobs-updated.ts'
import { voiceKind } from '../queue/job-kind.ts'
import { loadUnserved } from './served-pools.ts'
import { isSilent } from './workers.ts'

export interface Pool {
  readonly name: string
  readonly waiting: number
  readonly oldestWaitingSince: Date | null
  readonly processing: number
  readonly slots: number
  readonly workers: number
  /** Addresses without credentials and query, comma-separated; `worker`: each worker's own; null: in-process engines. */
  readonly server: string | null
  /** Limit of concurrent requests over all workers, or per owned server; null: unlimited. */
  readonly maxInFlight: number | null
}

interface Following {
  /** Milliseconds between two messages, 100 to 60,000; 1,000 by default. */
  readonly everyMs?: number | null | undefined
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function pools(ctx: Context): Promise<Pool[]> {
  requireOperator(ctx)
  return poolsOf(await readFleet(ctx.db), ctx.catalog.current)
}

export function poolsOf(fleet: Fleet, catalog: CatalogSnapshot): Pool[] {
  const depths = new Map(fleet.depths.map((depth) => [depth.pool ?? depth.queue, depth]))
  const busy = [...depths].flatMap(([name, { waiting, delayed, running }]) =>
    waiting + delayed + running > 0 ? [name] : [],
  )
  const named = [...catalog.endpoints.values()].map(poolOf)
  const alive = fleet.workers.filter((worker) => !isSilent(worker, fleet.now))
  return [...new Set([...named, ...sharedQueues(catalog), ...busy])].sort().map((name) => {
    const depth = depths.get(name)
    const serving = alive.filter((worker) => SHARED_QUEUES.includes(name) || worker.pools.includes(name))
    return {
      name,
      waiting: (depth?.waiting ?? 0) + (depth?.delayed ?? 0),
      oldestWaitingSince: depth?.oldestSince ?? null,
      processing: depth?.running ?? 0,
      slots: serving.reduce((sum, { slots }) => sum + slots, 0),
      workers: serving.length,
      ...serversOf(name, catalog),
    }
  })
}

function serversOf(name: string, catalog: CatalogSnapshot): Pick<Pool, 'server' | 'maxInFlight'> {
  const kind = SHARED_QUEUES.includes(name) ? { queue: name } : voiceKind(name)
  const limits = [...serverLimits(catalog, kind)].sort()
  if (limits.length === 0) return { server: null, maxInFlight: null }
  return {
    server: [...new Set(limits.map(([server]) => placeOfServer(server)))].join(', '),
    maxInFlight: limits.reduce((sum, [, limit]) => sum + limit, 0),
  }
}

/**
 * Pools and workers, again and again.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function fleetUpdated(ctx: FleetContext, input: Following): Promise<PullStream<FleetState>> {
  requireOperator(ctx)
  return ctx.fleetFeed.follow(ctx, checkedEveryMs(input.everyMs))
}

/**
 * The pool of an endpoint with `base_url: worker` if no living worker owns a server for it, else null.
 * @throws UNAUTHORIZED, FORBIDDEN without the scope `operator`
 */
export async function poolWithoutServer(ctx: Context, slug: string): Promise<string | null> {
  requireOperator(ctx)
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint?.engine.base_url !== OWNED_SERVER) return null
  const reason = (await loadUnserved(ctx, [slug])).get(slug) ?? null
  return reason === null ? null : poolOf(endpoint)
}
