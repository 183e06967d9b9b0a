import type { Context } from '../context/context.ts'
import { reachEndpoint } from './find-visible-endpoint.ts'
import type { VoiceEndpoint } from './voice-endpoint.ts'

/** An endpoint's request contract (spec 4.4). @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointSchema = (ctx: Context, input: { readonly slug: string }): VoiceEndpoint =>
  reachEndpoint(ctx, input.slug)
