import { requireSystem } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import type { Engines } from '../../engines/engines.ts'
import { type EngineCheck, tryEngine } from './try-engine.ts'

const TIMEOUT_MS = 60_000

/**
 * Tries the engine of every endpoint at once.
 * @throws FORBIDDEN
 */
export async function checkEngines(
  ctx: Context,
  input: { readonly engines: Engines },
): Promise<readonly EngineCheck[]> {
  requireSystem(ctx)
  const endpoints = [...ctx.catalog.current.endpoints.values()]
  return Promise.all(
    endpoints.map((endpoint) => tryEngine(ctx, input.engines, endpoint, AbortSignal.timeout(TIMEOUT_MS))),
  )
}
