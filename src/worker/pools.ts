import { requireOperator } from '../access/require.ts'
import { serverLimits } from '../catalog/engine-server.ts'
import { placeOfServer } from '../catalog/files/hidden-password.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { CatalogSnapshot } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Fleet, readFleet } from '../jobs/live/read-fleet.ts'
import { GENERATION_KIND, voiceKind } from '../queue/job-kind.ts'
import { isSilent } from './worker.ts'

/** A queue of jobs for engines, and what takes them. */
export interface Pool {
  /** That of an endpoint's engine block; `generate.cog`: the jobs of all workflows. */
  readonly name: string
  /** Jobs that may be taken, or will be after a while. */
  readonly waiting: number
  /** When the oldest job that may be taken was queued; null where none waits. */
  readonly oldestWaitingSince: Date | null
  readonly processing: number
  /** Jobs that the living workers of the pool can have at once, over all of their pools. */
  readonly slots: number
  /** How many living workers take its jobs: with none, they wait. */
  readonly workers: number
  /** The addresses of its servers between commas, without user, password and query; `worker`: each worker's own; null where engines run inside of the workers. */
  readonly server: string | null
  /** Requests at once at these servers, over all workers, or at the own server of each; null without one. */
  readonly maxInFlight: number | null
}

/** Every pool that an endpoint names or that holds jobs, by name, and that of workflows where there are any. @throws UNAUTHORIZED, FORBIDDEN */
export async function pools(ctx: Context): Promise<Pool[]> {
  requireOperator(ctx)
  return poolsOf(await readFleet(ctx.db), ctx.catalog.current)
}

/** The pools of a fleet. */
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
    // Workers of every pool take generations.
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
