import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { mayUse } from './require-endpoint.ts'

/** Endpoints that the caller may use, by slug. @throws UNAUTHORIZED, FORBIDDEN */
export function myEndpoints(ctx: Context): VoiceEndpoint[] {
  requireScope(ctx, VOICE_SCOPE)
  const all = [...ctx.catalog.current.endpoints.values()]
  return all
    .filter((endpoint) => endpoint.published && mayUse(ctx, endpoint))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1))
}
