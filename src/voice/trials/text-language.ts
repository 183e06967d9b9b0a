import { requireScope } from '../../access/require.ts'
import { VOICE_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { detectLanguage, type Language } from '../../engines/espeak/detect-language.ts'

/** The language that a text is spoken in where its request names none; null where nothing in it tells. @throws UNAUTHORIZED, FORBIDDEN */
export function textLanguage(ctx: Context, input: { readonly text: string }): Language | null {
  requireScope(ctx, VOICE_SCOPE)
  return detectLanguage(input.text) ?? null
}
