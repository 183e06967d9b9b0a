import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { usableLibraryVoices } from './library-voices.ts'
import { requireEndpoint } from './require-endpoint.ts'

/** The endpoint's voices, then usable ones of the caller's library. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export async function endpointVoices(ctx: Context, input: { readonly slug: string }): Promise<VoiceEndpoint> {
  const endpoint = requireEndpoint(ctx, input.slug)
  if (endpoint.libraryVoices !== true) return endpoint
  return { ...endpoint, voices: [...endpoint.voices, ...(await usableLibraryVoices(ctx, endpoint))] }
}
