import type { CatalogSnapshot, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'

export interface CatalogView {
  readonly catalogVersion: string
  readonly endpoints: readonly VoiceEndpoint[]
  readonly document: CatalogSnapshot['whole']
}

/** All published endpoints that are open to every key, without a key. */
export function catalog(ctx: Context): CatalogView {
  const { catalogVersion, open, whole } = ctx.catalog.current
  return { catalogVersion, document: whole, endpoints: open }
}
