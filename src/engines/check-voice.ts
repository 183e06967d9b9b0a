import { dialectOf } from './dialects.ts'
import type { EspeakBlock, OpenaiSpeechBlock, SherpaBlock } from './engine-block.ts'
import { ESPEAK_NAMES, pickVoice } from './espeak/espeak-voice.ts'
import { takesRecordings } from './openai-speech-profile.ts'
import { FAMILIES, type SherpaFamily } from './sherpa/sherpa-families.ts'

type ListedEngine =
  | Pick<EspeakBlock, 'kind'>
  | Pick<OpenaiSpeechBlock, 'kind' | 'profile'>
  | Pick<SherpaBlock, 'kind' | 'family'>

interface ListedVoice {
  readonly kind: 'preset' | 'reference'
  readonly engineVoice: string | undefined
  readonly referenceText?: string | undefined
}

/** Returns why an engine cannot use a voice, or null. */
export function checkVoice(engine: ListedEngine, voice: ListedVoice): string | null {
  if (engine.kind === 'openai-speech') {
    if (voice.kind === 'preset' || takesRecordings(engine.profile)) return null
    return `must be preset: a ${engine.profile} server has no field for a recording to speak like`
  }
  if (engine.kind === 'sherpa-onnx') return checkSherpaVoice(engine.family, voice)
  if (voice.kind === 'reference') return 'must be preset: the embedded engine cannot speak like a recording'
  const chosen = voice.engineVoice === undefined ? null : pickVoice(voice.engineVoice, undefined)
  const known =
    chosen !== null &&
    ESPEAK_NAMES.languages.has(chosen.language) &&
    (chosen.variant === null || ESPEAK_NAMES.variants.has(chosen.variant))
  return known ? null : 'is not a voice of the embedded engine, such as en-us+f3'
}

function checkSherpaVoice(family: SherpaFamily, { kind, engineVoice = '', referenceText }: ListedVoice): string | null {
  const { clones, needsText } = FAMILIES[family]
  if (clones && kind === 'preset') return `must be a reference voice: a ${family} model speaks like a recording`
  if (clones)
    return needsText && !referenceText?.trim()
      ? `needs reference_text: a ${family} model needs the text of the recording`
      : null
  if (kind === 'reference') return `must be preset: a ${family} model cannot speak like a recording`
  return /^\d{1,6}$/.test(engineVoice) ? null : 'must be the number of a speaker, such as "0"'
}

/** Returns why an engine cannot speak like a recording, or null. @param text if known */
export function checkRecording(engine: Readonly<Record<string, unknown>>, text: string | null): string | null {
  const voice = { kind: 'reference', engineVoice: undefined, referenceText: text ?? undefined } as const
  return checkVoice(engine as unknown as ListedEngine, voice)
}

/** Returns why an engine cannot speak at every pace that the schema of an input `speed` allows, or null. */
export function checkPace(engine: ListedEngine, schema: unknown): string | null {
  if (engine.kind !== 'openai-speech' || schema === undefined) return null
  const { speed } = dialectOf(engine.profile)
  const { minimum, maximum } = Object(schema) as { readonly minimum?: unknown; readonly maximum?: unknown }
  const servers = `servers of the kind ${engine.profile}`
  if (speed === null) return minimum === 1 && maximum === 1 ? null : `must be left out: ${servers} have their own pace`
  const [slowest, fastest] = speed
  const isOutside = (pace: unknown) => typeof pace === 'number' && (pace < slowest || pace > fastest)
  return [minimum, maximum].some(isOutside) ? `must lie within ${slowest} to ${fastest}, as ${servers} do` : null
}
