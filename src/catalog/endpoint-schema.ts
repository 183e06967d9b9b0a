import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { requireEndpoint } from './require-endpoint.ts'

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointSchema = (ctx: Context, input: { readonly slug: string }): VoiceEndpoint =>
  requireEndpoint(ctx, input.slug)
