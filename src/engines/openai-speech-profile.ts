import { type Dialect, dialectOf, type Profile } from './dialects.ts'
import { EngineError, type SpeechRequest } from './engine.ts'
import type { SpeechServerBlock } from './engine-block.ts'
import { knownLanguage, LANGUAGE_CODES } from './espeak/detect-language.ts'

export const takesRecordings = (profile: Profile): boolean => dialectOf(profile).reference === true

const TOKENS_PER_SECOND = 12.5
const LONGEST_RATIO = 3
const FEWEST_TOKENS = 128
const MOST_TOKENS = 4096

/**
 * Builds the body of `POST /v1/audio/speech` from `extra` and the fields that the server's family knows.
 * @throws EngineError RENDER_FAILED for a voice or a speed without a field
 */
export function speechBody(block: SpeechServerBlock, request: SpeechRequest): Record<string, unknown> {
  const dialect = dialectOf(block.profile)
  return {
    ...request.extra,
    model: block.model,
    input: request.text,
    response_format: 'wav',
    ...(dialect.stream && { stream: false }),
    ...voiceFields(dialect, block, request),
    ...speedField(dialect, block, request.speed),
    ...languageField(dialect, request.language ?? 'auto'),
    ...(dialect.seed && request.seed !== undefined && { seed: request.seed }),
    ...(dialect.maxNewTokens && { max_new_tokens: maxNewTokens(request.expectedSeconds) }),
    ...instructionsField(dialect, request.styleInstruction),
  }
}

function voiceFields(dialect: Dialect, block: SpeechServerBlock, request: SpeechRequest): Record<string, unknown> {
  const { voice } = request
  if (voice.kind === 'preset') {
    return { voice: voice.engineVoice, ...(dialect.taskType && { task_type: block.task_type ?? 'CustomVoice' }) }
  }
  if (!dialect.reference || voice.referenceAudio === null) {
    throw new EngineError(
      'RENDER_FAILED',
      `A ${block.profile} server cannot speak like the recording of ${voice.slug}.`,
    )
  }
  return {
    ...(dialect.referenceVoice !== undefined && { voice: dialect.referenceVoice }),
    ...(dialect.taskType && { task_type: block.task_type ?? 'Base' }),
    ref_audio: dataUrl(Buffer.from(voice.referenceAudio)),
    ...textFields(dialect, block, request),
  }
}

function textFields(
  { soundAlone }: Dialect,
  { task_type: task = 'Base' }: SpeechServerBlock,
  { voice: { referenceText }, extra }: SpeechRequest,
): Record<string, unknown> {
  if (referenceText?.trim()) return { ref_text: referenceText }
  const isSaid = 'ref_text' in extra || 'x_vector_only_mode' in extra
  return soundAlone && task === 'Base' && !isSaid ? { x_vector_only_mode: true } : {}
}

const MEDIA_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(ID3|\xff[\xe2-\xfb])/, 'audio/mpeg'],
  [/^fLaC/, 'audio/flac'],
  [/^OggS/, 'audio/ogg'],
]

function dataUrl(recording: Buffer): string {
  const start = recording.toString('latin1', 0, 4)
  const type = MEDIA_TYPES.find(([magic]) => magic.test(start))?.[1] ?? 'audio/wav'
  return `data:${type};base64,${recording.toString('base64')}`
}

function speedField(dialect: Dialect, block: SpeechServerBlock, speed: number | undefined): { speed?: number } {
  if (speed === undefined || speed === 1) return {}
  const servers = `Servers of the kind ${block.profile}`
  if (dialect.speed === null) throw new EngineError('RENDER_FAILED', `${servers} speak at their own pace only.`)
  const [slowest, fastest] = dialect.speed
  if (speed < slowest || speed > fastest)
    throw new EngineError('RENDER_FAILED', `${servers} speak at ${slowest} to ${fastest} times their pace.`)
  return { speed }
}

function instructionsField({ instructions: most }: Dialect, style: string | undefined): { instructions?: string } {
  return most === null || style === undefined ? {} : { instructions: shorten(style, most) }
}

function languageField({ language: as }: Dialect, language: string): { language?: string } {
  if (as === null) return {}
  if (as === 'title' || as === 'lower') return { language: spell(language, as) }
  if (language === 'auto') return {}
  const known = as === 'code' ? knownLanguage(language) : undefined
  return { language: known === undefined ? language : LANGUAGE_CODES[known] }
}

function spell(language: string, as: 'title' | 'lower'): string {
  const lower = language.toLowerCase()
  return as === 'lower' ? lower : `${lower.charAt(0).toUpperCase()}${lower.slice(1)}`
}

function maxNewTokens(expectedSeconds: number | undefined): number {
  if (expectedSeconds === undefined) return MOST_TOKENS
  const tokens = Math.ceil(expectedSeconds * LONGEST_RATIO * TOKENS_PER_SECOND)
  return Math.min(MOST_TOKENS, Math.max(FEWEST_TOKENS, tokens))
}

function shorten(instruction: string, most: number): string {
  const characters = [...instruction]
  if (characters.length <= most) return instruction
  const cut = characters.slice(0, most).join('')
  return /^\s/.test(characters[most] ?? '') ? cut.trimEnd() : cut.replace(/\s+\S*$/, '')
}

export interface ListedVoice {
  readonly name: string
  /** As the server writes it. */
  readonly language?: string
}

/** Reads the names or objects of a server's list of voices; null if it is none. Pure. */
export function listedVoices(answer: unknown): ListedVoice[] | null {
  const voices = Array.isArray(answer) ? answer : (answer as { voices?: unknown } | null | undefined)?.voices
  if (!Array.isArray(voices)) return null
  return voices.flatMap((voice: unknown) => {
    const known = typeof voice === 'object' && voice !== null ? voice : { name: voice }
    const { id, name, language } = known as Record<string, unknown>
    const named = [id, name].find((one) => typeof one === 'string')
    return named === undefined ? [] : [{ name: named, ...(typeof language === 'string' && { language }) }]
  })
}
