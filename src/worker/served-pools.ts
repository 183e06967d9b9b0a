import { GENERATION_POOL, poolOfJob, RESERVED_POOLS } from '../catalog/pool-of-job.ts'
import type { Catalog } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { GENERATION_KIND } from '../queue/job-kind.ts'
import { DEAD_AFTER_MS } from './worker.ts'

/** The pool of an endpoint's jobs, by its key, as `pools` names it; null where the endpoint is gone, and for jobs that no worker takes. */
export function queuedPool(catalog: Catalog, endpointKey: string): string | null {
  const pool = poolOfJob(catalog, endpointKey)
  if (pool === GENERATION_POOL) return GENERATION_KIND.queue
  return RESERVED_POOLS.includes(pool) ? null : pool
}

/**
 * Whether a living worker takes the jobs of these endpoints, by their keys; those without a pool are left out. That the caller may see such
 * jobs was decided before.
 */
export async function loadServed(
  { db, catalog }: Pick<Context, 'db' | 'catalog'>,
  endpointKeys: readonly string[],
): Promise<Map<string, boolean>> {
  const { rows } = await db.pool.query<{ pools: string[] }>({
    name: 'serving_workers',
    text: "select pools from worker where heartbeat_at >= now() - $1 * interval '1 millisecond'",
    values: [DEAD_AFTER_MS],
  })
  const served = new Set(rows.flatMap(({ pools }) => [GENERATION_KIND.queue, ...pools]))
  return new Map(
    endpointKeys.flatMap((key) => {
      const pool = queuedPool(catalog, key)
      return pool === null ? [] : [[key, served.has(pool)] as const]
    }),
  )
}
