import { ESPEAK_NAMES, type EspeakNames } from './espeak-names.ts'
import { pickVoice } from './espeak-voice.ts'

/** What a file says of a voice that matters to an engine. */
interface ListedVoice {
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | undefined
}

/** What keeps an engine of a kind from speaking as a voice, as far as can be told without asking a server, or null. */
export function checkVoice(engineKind: string, voice: ListedVoice, names: EspeakNames = ESPEAK_NAMES): string | null {
  if (engineKind !== 'espeak') return null
  if (voice.kind === 'reference') return 'must be preset: the embedded engine cannot speak like a recording'
  const chosen = voice.engineVoice === undefined ? null : pickVoice(voice.engineVoice, undefined)
  const known =
    chosen !== null &&
    names.languages.has(chosen.language) &&
    (chosen.variant === null || names.variants.has(chosen.variant))
  return known ? null : 'is not a voice of the embedded engine, such as en-us+f3'
}
