import { isOperator, requireOperator, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import type { CatalogSnapshot, PublicDocument, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Connection, type PageInput, pageBySlug } from '../db/page.ts'
import { notFound } from '../errors/service-error.ts'
import { libraryVoices, usableVoices } from './library-voices.ts'
import { endpointKey, isPublic } from './voice-endpoint.ts'

export interface CatalogView {
  readonly catalogVersion: string
  readonly endpoints: readonly VoiceEndpoint[]
  readonly document: CatalogSnapshot['whole']
}

interface CatalogEndpointView {
  readonly endpoint: VoiceEndpoint
  readonly document: PublicDocument
}

/** All voice endpoints by slug, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export function endpoints(ctx: Context, input: PageInput): Connection<VoiceEndpoint> {
  requireOperator(ctx)
  return pageBySlug(ctx.catalog.current.endpoints.values(), input, endpointKey)
}

/** Endpoints that the caller may use, by slug. @throws UNAUTHORIZED, FORBIDDEN */
export function myEndpoints(ctx: Context): VoiceEndpoint[] {
  requireScope(ctx, VOICE_SCOPE)
  const all = [...ctx.catalog.current.endpoints.values()]
  return all
    .filter((endpoint) => endpoint.published && mayUse(ctx, endpoint))
    .sort((one, other) => (one.slug < other.slug ? -1 : 1))
}

/** All published endpoints that are open to every key, without a key. */
export function catalog(ctx: Context): CatalogView {
  const { catalogVersion, open, whole } = ctx.catalog.current
  return { catalogVersion, document: whole, endpoints: open }
}

/** One entry of the public catalog, without a key. @throws NOT_FOUND, also for restricted and unpublished ones */
export function catalogEndpoint(ctx: Context, input: { readonly slug: string }): CatalogEndpointView {
  const { endpoints, entries } = ctx.catalog.current
  const document = entries.get(input.slug)
  const endpoint = endpoints.get(input.slug)
  if (document === undefined || endpoint === undefined) throw notFound()
  return { endpoint, document }
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointSchema = (ctx: Context, input: { readonly slug: string }): VoiceEndpoint =>
  requireEndpoint(ctx, input.slug)

/** The endpoint's voices, then usable ones of the caller's library. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export async function endpointVoices(ctx: Context, input: { readonly slug: string }): Promise<VoiceEndpoint> {
  const endpoint = requireEndpoint(ctx, input.slug)
  if (endpoint.libraryVoices !== true) return endpoint
  return { ...endpoint, voices: [...endpoint.voices, ...usableVoices(endpoint, await libraryVoices(ctx))] }
}

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

const mayUse = (ctx: Context, { requiredScope }: VoiceEndpoint): boolean =>
  requiredScope === null || !('scopes' in ctx.actor) || ctx.actor.scopes.includes(requiredScope)
