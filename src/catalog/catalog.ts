import type { CatalogSnapshot, VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { isPublic } from './voice-endpoint.ts'

export interface CatalogView {
  readonly catalogVersion: string
  readonly endpoints: readonly VoiceEndpoint[]
  readonly document: CatalogSnapshot['whole']
}

/** All published endpoints that are open to every key. Needs no key. */
export function catalog(ctx: Context): CatalogView {
  const { catalogVersion, endpoints, whole } = ctx.catalog.current
  return { catalogVersion, document: whole, endpoints: [...endpoints.values()].filter(isPublic) }
}
