import type { CatalogSnapshot, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'

/** The catalog as a caller may see it; `document` is its form in REST. */
export interface CatalogView {
  readonly catalogVersion: string
  readonly endpoints: readonly VoiceEndpoint[]
  readonly document: CatalogSnapshot['whole']
}

/** All published endpoints that are open to every key. Needs no key. */
export function catalog(ctx: Context): CatalogView {
  const { catalogVersion, open, whole } = ctx.catalog.current
  return { catalogVersion, document: whole, endpoints: open }
}
