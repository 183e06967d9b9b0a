import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { TrialEngines } from './trial-engines.ts'
import { type EngineCheck, tryEngine } from './try-engine.ts'

export const TRIAL_MS = 20_000

export interface TrialContext extends Context {
  readonly trialEngines: TrialEngines
}

/**
 * Tries an endpoint's engine from this process; changes and charges nothing.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, UNAVAILABLE if too many trials run
 */
export async function checkEngine(ctx: TrialContext, { slug }: { readonly slug: string }): Promise<EngineCheck> {
  requireOperator(ctx)
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined) throw new ServiceError('NOT_FOUND', `No voice endpoint with the slug "${slug}".`)
  const signal = AbortSignal.timeout(TRIAL_MS)
  return ctx.trialEngines.use(signal, (engines) => tryEngine(ctx, engines, endpoint, signal))
}
