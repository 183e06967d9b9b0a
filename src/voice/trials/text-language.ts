import { requireScope } from '../../access/require.ts'
import { VOICE_SCOPE } from '../../access/scopes.ts'
import { requireEndpoint } from '../../catalog/endpoints.ts'
import type { Context } from '../../context/context.ts'
import { detectLanguage, type Language } from '../../engines/espeak/detect-language.ts'
import { ownLanguage } from '../../engines/espeak/espeak-voice.ts'

export interface TextLanguageInput {
  readonly text: string
  readonly slug?: string | null | undefined
  readonly voice?: string | null | undefined
}

/**
 * Detects a text's language, or null. A short text takes the language of its voice.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function textLanguage(ctx: Context, input: TextLanguageInput): Language | null {
  requireScope(ctx, VOICE_SCOPE)
  const endpoint = input.slug == null ? null : requireEndpoint(ctx, input.slug)
  const voice = endpoint?.voices.find(({ slug }) => slug === input.voice)
  return detectLanguage(input.text, voice && ownLanguage(voice)) ?? null
}
