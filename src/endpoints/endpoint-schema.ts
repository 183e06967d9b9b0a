import type { Context } from '../context.ts'
import { reachEndpoint } from './reach-endpoint.ts'
import type { VoiceEndpoint } from './voice-endpoint.ts'

/** An endpoint's request contract (spec 4.4). @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointSchema = (ctx: Context, input: { readonly slug: string }): VoiceEndpoint =>
  reachEndpoint(ctx, input.slug)
