import { requireOperator } from '../access/require.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Connection, type PageInput, pageBySlug } from '../db/page.ts'
import { endpointKey } from './voice-endpoint.ts'

/** All voice endpoints by slug, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export function endpoints(ctx: Context, input: PageInput): Connection<VoiceEndpoint> {
  requireOperator(ctx)
  return pageBySlug(ctx.catalog.current.endpoints.values(), input, endpointKey)
}
