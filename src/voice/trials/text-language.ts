import { requireScope } from '../../access/require.ts'
import { VOICE_SCOPE } from '../../access/scopes.ts'
import { requireEndpoint } from '../../catalog/require-endpoint.ts'
import type { Context } from '../../context/context.ts'
import { detectLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { ownLanguage } from '../../engines/espeak/espeak-voice.ts'

/** A text, and the voice that is to speak it, as far as that is known. */
export interface TextLanguageInput {
  readonly text: string
  readonly slug?: string | null | undefined
  readonly voice?: string | null | undefined
}

/**
 * The language that a text is spoken in where its request names none; null where nothing in it tells. A short text is in the language of its
 * voice, if that is one of the endpoint's.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function textLanguage(ctx: Context, input: TextLanguageInput): Language | null {
  requireScope(ctx, VOICE_SCOPE)
  const endpoint = input.slug == null ? null : requireEndpoint(ctx, input.slug)
  const voice = endpoint?.voices.find(({ slug }) => slug === input.voice)
  return detectLanguage(input.text, voice && ownLanguage(voice)) ?? null
}
