import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { TrialEngines } from './trial-engines.ts'
import { type EngineCheck, tryEngine } from './try-engine.ts'

/** What a check, or a sample, may take, its turn included. */
export const TRIAL_MS = 20_000

/** What trying engines needs. */
export interface TrialContext extends Context {
  readonly trialEngines: TrialEngines
}

/**
 * Tries the engine of one endpoint from this process, as `sonant engines check` does. Nothing is changed or charged: an operator is asked for no password.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, UNAVAILABLE where too many are tried at once
 */
export async function checkEngine(ctx: TrialContext, { slug }: { readonly slug: string }): Promise<EngineCheck> {
  requireOperator(ctx)
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined) throw new ServiceError('NOT_FOUND', `No voice endpoint with the slug "${slug}".`)
  const signal = AbortSignal.timeout(TRIAL_MS)
  return ctx.trialEngines.use(signal, (engines) => tryEngine(ctx, engines, endpoint, signal))
}
