import { isOperator, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'
import { isPublic } from './voice-endpoint.ts'

/**
 * Checks the scope first; missing, unpublished and restricted endpoints fail alike.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function requireEndpoint(ctx: Context, slug: string): VoiceEndpoint {
  requireScope(ctx, VOICE_SCOPE)
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined || !endpoint.published || !mayUse(ctx, endpoint)) throw notFound()
  return endpoint
}

/**
 * Public endpoints for any caller, all for the operator, others as `requireEndpoint`.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function findVisibleEndpoint(ctx: Context, slug: string): VoiceEndpoint {
  const known = ctx.catalog.current.endpoints.get(slug)
  if (known !== undefined && (isPublic(known) || isOperator(ctx))) return known
  if (isOperator(ctx)) throw notFound()
  return requireEndpoint(ctx, slug)
}

export const mayUse = (ctx: Context, { requiredScope }: VoiceEndpoint): boolean =>
  requiredScope === null || !('scopes' in ctx.actor) || ctx.actor.scopes.includes(requiredScope)
