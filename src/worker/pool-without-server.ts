import { endpointRoute } from '../catalog/engine-server.ts'
import { poolOf } from '../catalog/voice-endpoint.ts'
import type { Context } from '../context/context.ts'
import { OWNED_SERVER } from '../engines/owned-server.ts'
import { isSilent } from './worker.ts'
import { serverOf, workers } from './workers.ts'

/**
 * The pool of an endpoint with `base_url: worker` if no living worker owns a server for it, else null.
 * @throws UNAUTHORIZED, FORBIDDEN without the scope `operator`
 */
export async function poolWithoutServer(ctx: Context, slug: string): Promise<string | null> {
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined || endpointRoute(endpoint).server !== OWNED_SERVER) return null
  const pool = poolOf(endpoint)
  const now = ctx.now().getTime()
  const isServed = (await workers(ctx)).some((worker) => {
    const server = serverOf(worker)
    return !isSilent(worker, now) && worker.pools.includes(pool) && server !== null && server.state !== 'failed'
  })
  return isServed ? null : pool
}
