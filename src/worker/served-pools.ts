import { awayParts } from '../catalog/engine-server.ts'
import { poolOfJob, RESERVED_POOLS, SHARED_POOLS, SHARED_QUEUES } from '../catalog/job-kinds.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { Catalog, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { DEAD_AFTER_MS, type EngineLoad, type ServerState } from './workers.ts'

/** The pool of an endpoint's jobs; null if the endpoint is gone or no worker takes its jobs. */
export function queuedPool(catalog: Catalog, endpointKey: string): string | null {
  const pool = poolOfJob(catalog, endpointKey)
  const shared = SHARED_POOLS.find((one) => one.pool === pool)
  return shared?.queue ?? (RESERVED_POOLS.includes(pool) ? null : pool)
}

/** A living worker. */
export interface Serving {
  readonly id: string
  readonly host: string
  readonly pools: readonly string[]
  readonly server: { readonly state: ServerState; readonly error: string | null } | null
  /** By the keys of `awayParts`. */
  readonly away: Readonly<Record<string, string>>
  /** By the keys of `engineParts`. */
  readonly engines: Readonly<Record<string, EngineLoad>>
}

export const serving = async ({ db }: Pick<Context, 'db'>): Promise<Serving[]> =>
  (
    await db.pool.query<Serving>({
      name: 'serving_workers',
      text: "select id, host, coalesce(pools, '{}') as pools, server, away, engines from worker where heartbeat_at >= now() - $1 * interval '1 millisecond' order by id",
      values: [DEAD_AFTER_MS],
    })
  ).rows

/** Maps endpoint keys to whether a living worker takes their jobs; omits endpoints without a pool. The caller checks access. */
export async function loadServed(
  ctx: Pick<Context, 'db' | 'catalog'>,
  endpointKeys: readonly string[],
): Promise<Map<string, boolean>> {
  const served = new Set((await serving(ctx)).flatMap(({ pools }) => [...SHARED_QUEUES, ...pools]))
  return new Map(
    endpointKeys.flatMap((key) => {
      const pool = queuedPool(ctx.catalog, key)
      return pool === null ? [] : [[key, served.has(pool)] as const]
    }),
  )
}

/** Maps slugs to the reason why no worker serves them, for the operator; null: served. */
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

/** Removes endpoints whose engine every living worker reports as away; keeps endpoints without a living worker. */
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

function reasonsOf(endpoint: VoiceEndpoint, workers: readonly Serving[]): (string | null)[] {
  const pool = poolOf(endpoint)
  const keys = [...awayParts(endpoint).keys()]
  const isOwned = endpoint.engine.base_url === OWNED_SERVER
  return workers
    .filter(({ pools }) => pools.includes(pool))
    .map((worker) => (isOwned ? ownedReason(worker) : awayReason(worker, keys)))
}

/** Null while one of its servers is there. */
function awayReason({ away }: Serving, keys: readonly string[]): string | null {
  const reasons = keys.flatMap((key) => away[key] ?? [])
  return keys.length === 0 || reasons.length < keys.length ? null : reasons.join(' ')
}

function ownedReason({ host, server }: Serving): string | null {
  if (server === null) return `the worker on ${host} was started without --server`
  return server.state === 'failed' ? `the server of the worker on ${host} failed: ${server.error ?? 'no reason'}` : null
}
