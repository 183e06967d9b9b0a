import { awayKey } from '../catalog/engine-server.ts'
import { GENERATION_POOL, poolOfJob, RESERVED_POOLS } from '../catalog/pool-of-job.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { Catalog, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { OWNED_SERVER } from '../engines/owned-server.ts'
import { GENERATION_KIND } from '../queue/job-kind.ts'
import { DEAD_AFTER_MS, type ServerState } from './worker.ts'

/** The pool of an endpoint's jobs, by its key, as `pools` names it; null where the endpoint is gone, and for jobs that no worker takes. */
export function queuedPool(catalog: Catalog, endpointKey: string): string | null {
  const pool = poolOfJob(catalog, endpointKey)
  if (pool === GENERATION_POOL) return GENERATION_KIND.queue
  return RESERVED_POOLS.includes(pool) ? null : pool
}

/** The pools and endpoints that living workers serve. */
interface Serving {
  readonly host: string
  readonly pools: readonly string[]
  /** The server that it owns. */
  readonly server: { readonly state: ServerState; readonly error: string | null } | null
  readonly away: Readonly<Record<string, string>>
}

const serving = async ({ db }: Pick<Context, 'db'>): Promise<Serving[]> =>
  (
    await db.pool.query<Serving>({
      name: 'serving_workers',
      text: "select host, pools, server, away from worker where heartbeat_at >= now() - $1 * interval '1 millisecond' order by id",
      values: [DEAD_AFTER_MS],
    })
  ).rows

/**
 * Whether a living worker takes the jobs of these endpoints, by their keys; those without a pool are left out. That the caller may see such
 * jobs was decided before.
 */
export async function loadServed(
  ctx: Pick<Context, 'db' | 'catalog'>,
  endpointKeys: readonly string[],
): Promise<Map<string, boolean>> {
  const served = new Set((await serving(ctx)).flatMap(({ pools }) => [GENERATION_KIND.queue, ...pools]))
  return new Map(
    endpointKeys.flatMap((key) => {
      const pool = queuedPool(ctx.catalog, key)
      return pool === null ? [] : [[key, served.has(pool)] as const]
    }),
  )
}

/** Why voice endpoints are not served now, by their slugs, for the operator; null: a living worker takes their jobs, and reaches their engine. */
export async function loadUnserved(
  ctx: Pick<Context, 'db' | 'catalog'>,
  slugs: readonly string[],
): Promise<Map<string, string | null>> {
  const workers = await serving(ctx)
  return new Map(
    slugs.flatMap((slug) => {
      const endpoint = ctx.catalog.current.endpoints.get(slug)
      return endpoint === undefined ? [] : [[slug, unservedBecause(endpoint, workers)] as const]
    }),
  )
}

/** Leaves out the endpoints whose engine every living worker of their pool reports as away. An endpoint without a living worker stays. */
export async function withoutAway(
  ctx: Pick<Context, 'db'>,
  endpoints: readonly VoiceEndpoint[],
): Promise<VoiceEndpoint[]> {
  const workers = await serving(ctx)
  return endpoints.filter((endpoint) => {
    const reasons = reasonsOf(endpoint, workers)
    return reasons.length === 0 || reasons.includes(null)
  })
}

/** The endpoints in their order, but those whose engine is away come last. */
export async function awayLast(
  ctx: Pick<Context, 'db'>,
  endpoints: readonly VoiceEndpoint[],
): Promise<VoiceEndpoint[]> {
  const answering = endpoints.length < 2 ? endpoints : await withoutAway(ctx, endpoints)
  return [...new Set([...answering, ...endpoints])]
}

function unservedBecause(endpoint: VoiceEndpoint, workers: readonly Serving[]): string | null {
  const reasons = reasonsOf(endpoint, workers)
  if (reasons.includes(null)) return null
  return reasons[0] ?? `no living worker serves the pool ${poolOf(endpoint)}`
}

/** Gives, for each living worker of the pool, the reason why it does not reach the endpoint's engine; null if it does. */
function reasonsOf(endpoint: VoiceEndpoint, workers: readonly Serving[]): (string | null)[] {
  const pool = poolOf(endpoint)
  const key = awayKey(endpoint)
  const isOwned = endpoint.engine.base_url === OWNED_SERVER
  return workers
    .filter(({ pools }) => pools.includes(pool))
    .map((worker) => (isOwned ? ownedReason(worker) : key === null ? null : (worker.away[key] ?? null)))
}

function ownedReason({ host, server }: Serving): string | null {
  if (server === null) return `the worker on ${host} was started without --server`
  return server.state === 'failed' ? `the server of the worker on ${host} failed: ${server.error ?? 'no reason'}` : null
}
