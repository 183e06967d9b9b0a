import type { PublicDocument, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'

interface CatalogEndpointView {
  readonly endpoint: VoiceEndpoint
  readonly document: PublicDocument
}

/** One entry of the public catalog, without a key. @throws NOT_FOUND, also for restricted and unpublished ones */
export function catalogEndpoint(ctx: Context, input: { readonly slug: string }): CatalogEndpointView {
  const { endpoints, entries } = ctx.catalog.current
  const document = entries.get(input.slug)
  const endpoint = endpoints.get(input.slug)
  if (document === undefined || endpoint === undefined) throw notFound()
  return { endpoint, document }
}
