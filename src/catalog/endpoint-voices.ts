import type { Context } from '../context/context.ts'
import { reachEndpoint } from './find-visible-endpoint.ts'
import type { VoiceEndpoint } from './voice-endpoint.ts'

/** The voices that an endpoint accepts now (spec 4.3). @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export const endpointVoices = (ctx: Context, input: { readonly slug: string }): VoiceEndpoint =>
  reachEndpoint(ctx, input.slug)
