import { requireOperator } from '../access/require.ts'
import { serverLimits } from '../catalog/engine-server.ts'
import { placeOfServer } from '../catalog/files/hidden-password.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { CatalogSnapshot } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Fleet, readFleet } from '../jobs/live/read-fleet.ts'
import { GENERATION_KIND, voiceKind } from '../queue/job-kind.ts'
import { isSilent } from './worker.ts'

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

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function pools(ctx: Context): Promise<Pool[]> {
  requireOperator(ctx)
  return poolsOf(await readFleet(ctx.db), ctx.catalog.current)
}

export function poolsOf(fleet: Fleet, catalog: CatalogSnapshot): Pool[] {
  const depths = new Map(fleet.depths.map((depth) => [depth.pool ?? GENERATION_KIND.queue, depth]))
  const busy = [...depths].flatMap(([name, { waiting, delayed, running }]) =>
    waiting + delayed + running > 0 ? [name] : [],
  )
  const named = [...catalog.endpoints.values()].map(poolOf)
  const generations = catalog.workflows.size > 0 ? [GENERATION_KIND.queue] : []
  const alive = fleet.workers.filter((worker) => !isSilent(worker, fleet.now))
  return [...new Set([...named, ...generations, ...busy])].sort().map((name) => {
    const depth = depths.get(name)
    const serving = alive.filter((worker) => name === GENERATION_KIND.queue || worker.pools.includes(name))
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
  const kind = name === GENERATION_KIND.queue ? GENERATION_KIND : voiceKind(name)
  const limits = [...serverLimits(catalog, kind)].sort()
  if (limits.length === 0) return { server: null, maxInFlight: null }
  return {
    server: [...new Set(limits.map(([server]) => placeOfServer(server)))].join(', '),
    maxInFlight: limits.reduce((sum, [, limit]) => sum + limit, 0),
  }
}
