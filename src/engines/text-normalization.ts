import type { Variant } from '../reading/read.ts'
import { type Dialect, dialectOf, type Profile } from './dialects.ts'
import type { EngineVoice } from './engine.ts'
import type { Language } from './espeak/detect-language.ts'

/** `on`: the engine gets words instead of numbers, signs and abbreviations. `auto`: if its models need that. */
export const TEXT_NORMALIZATIONS = ['auto', 'on', 'off'] as const

const BRITISH = /(?:^|[^a-z])en[-_]?gb(?:[^a-z]|$)|^b[fm]_/i
const EUROPEAN = /(?:^|[^a-z])pt[-_]?pt(?:[^a-z]|$)/i
/** eSpeak NG's own name of the Portuguese of Portugal; the Brazilian is `pt-br`. */
const ESPEAK_EUROPEAN = /^pt(?:[+@]|$)/i

/**
 * Returns whether an engine gets a text in words, as all need but servers whose models read: eSpeak NG says "$1.50" as
 * "dollar one point five zero" and so do the models that speak its phonemes (Piper, Matcha, Kokoro, Kitten, ZipVoice);
 * Pocket TTS is "too small to read numbers" (github.com/kyutai-labs/pocket-tts/issues/234); Supertonic's authors ask for a
 * normalizer in front of it (github.com/supertone-oss-archive/supertonic/issues/10).
 * @param choices the most specific first; `auto` and absent ones leave it to the next
 */
export function isNormalized(
  { kind, profile = 'generic' }: Readonly<Record<string, unknown>>,
  ...choices: readonly (string | null | undefined)[]
): boolean {
  const chosen = choices.find((choice) => choice === 'on' || choice === 'off')
  if (chosen !== undefined) return chosen === 'on'
  // A newer program may have stored a profile that this one does not know.
  return kind !== 'openai-speech' || (dialectOf(profile as Profile) as Dialect | undefined)?.reads !== true
}

/** The variety of a language that a voice's name states, such as `en-gb`, `pt_PT-tugão` or Kokoro's `bf_emma`. Pure. */
export function variantOf(
  voice: Pick<EngineVoice, 'engineVoice' | 'slug'> | undefined,
  language: Language | undefined,
): Variant | undefined {
  const { engineVoice, slug = '' } = voice ?? {}
  const isNamed = (form: RegExp): boolean => form.test(engineVoice ?? '') || form.test(slug)
  if (language === 'English') return isNamed(BRITISH) ? 'GB' : undefined
  if (language !== 'Portuguese') return undefined
  return isNamed(EUROPEAN) || ESPEAK_EUROPEAN.test(engineVoice ?? '') ? 'PT' : undefined
}
