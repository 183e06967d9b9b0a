import type { EspeakBlock, OpenaiSpeechBlock } from './engine-block.ts'
import { ESPEAK_NAMES, type EspeakNames } from './espeak/espeak-names.ts'
import { pickVoice } from './espeak/espeak-voice.ts'
import { takesRecordings } from './openai-speech-profile.ts'

/** What a file says of an engine that matters to its voices. */
type ListedEngine = Pick<EspeakBlock, 'kind'> | Pick<OpenaiSpeechBlock, 'kind' | 'profile'>

/** What a file says of a voice that matters to an engine. */
interface ListedVoice {
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | undefined
}

/** What keeps an engine from speaking as a voice, as far as is known without asking a server, or null. */
export function checkVoice(engine: ListedEngine, voice: ListedVoice, names: EspeakNames = ESPEAK_NAMES): string | null {
  if (engine.kind === 'openai-speech') {
    if (voice.kind === 'preset' || takesRecordings(engine.profile)) return null
    return `must be preset: a ${engine.profile} server has no field for a recording to speak like`
  }
  if (voice.kind === 'reference') return 'must be preset: the embedded engine cannot speak like a recording'
  const chosen = voice.engineVoice === undefined ? null : pickVoice(voice.engineVoice, undefined)
  const known =
    chosen !== null &&
    names.languages.has(chosen.language) &&
    (chosen.variant === null || names.variants.has(chosen.variant))
  return known ? null : 'is not a voice of the embedded engine, such as en-us+f3'
}
