import type { Variant } from '../reading/read.ts'
import type { EngineVoice } from './engine.ts'
import type { Profile } from './engine-block.ts'
import type { Language } from './espeak/detect-language.ts'

/** `on`: the engine gets words instead of numbers, signs and abbreviations. `auto`: if its models need that. */
export const TEXT_NORMALIZATIONS = ['auto', 'on', 'off'] as const

/**
 * Servers whose models read by themselves, with the source. All other engines get words: eSpeak NG says "$1.50" as
 * "dollar one point five zero" and so do the models that speak its phonemes (Piper, Matcha, Kokoro, Kitten, ZipVoice);
 * Pocket TTS is "too small to read numbers" (github.com/kyutai-labs/pocket-tts/issues/234); Supertonic's authors ask for a
 * normalizer in front of it (github.com/supertone-oss-archive/supertonic/issues/10).
 */
const READS_BY_ITSELF: Readonly<Record<Profile, boolean>> = {
  // Unknown servers get the text as it was sent, as OpenAI's own do.
  generic: true,
  // Qwen3-TTS understands a text before it speaks it: github.com/QwenLM/Qwen3-TTS.
  'vllm-omni': true,
  'sglang-omni': true,
  nari: true,
  // Kokoro-FastAPI normalizes English alone: github.com/remsky/Kokoro-FastAPI, api/src/services/text_processing.
  kokoro: false,
  // Speaches hands the text to Kokoro or Piper as it is: github.com/speaches-ai/speaches.
  speaches: false,
}

const BRITISH = /(?:^|[^a-z])en[-_]?gb(?:[^a-z]|$)|^b[fm]_/i
const EUROPEAN = /(?:^|[^a-z])pt[-_]?pt(?:[^a-z]|$)/i
/** eSpeak NG's own name of the Portuguese of Portugal; the Brazilian is `pt-br`. */
const ESPEAK_EUROPEAN = /^pt(?:[+@]|$)/i

/**
 * Returns whether an engine gets a text in words.
 * @param choices the most specific first; `auto` and absent ones leave it to the next
 */
export function isNormalized(
  { kind, profile = 'generic' }: Readonly<Record<string, unknown>>,
  ...choices: readonly (string | null | undefined)[]
): boolean {
  const chosen = choices.find((choice) => choice === 'on' || choice === 'off')
  if (chosen !== undefined) return chosen === 'on'
  return kind !== 'openai-speech' || !READS_BY_ITSELF[profile as Profile]
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
