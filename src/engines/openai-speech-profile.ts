import { EngineError, type SpeechRequest } from './engine.ts'
import type { Profile, SpeechServerBlock } from './engine-block.ts'

interface Dialect {
  readonly speed: boolean
  readonly instructions: boolean
  readonly seed: boolean
  readonly maxNewTokens: boolean
  readonly taskType: boolean
  readonly reference: boolean
  /** Some servers demand a voice beside a recording. */
  readonly referenceVoice?: string
  /** The server needs the recording's text, unless told to use the sound alone. */
  readonly soundAlone?: boolean
  /** `given` omits `auto`; null: no such field. */
  readonly language: 'title' | 'lower' | 'given' | null
}

const PLAIN: Dialect = {
  speed: true,
  instructions: false,
  seed: false,
  maxNewTokens: false,
  taskType: false,
  reference: false,
  language: null,
}
const QWEN: Dialect = {
  speed: true,
  instructions: true,
  seed: true,
  maxNewTokens: true,
  taskType: true,
  reference: true,
  language: 'title',
}

const DIALECTS: Readonly<Record<Profile, Dialect>> = {
  // An unknown server gets optional fields only if the job has them.
  generic: { ...PLAIN, instructions: true, seed: true, reference: true, language: 'given' },
  'vllm-omni': { ...QWEN, soundAlone: true },
  'sglang-omni': { ...QWEN, language: 'lower', referenceVoice: 'default' },
  // Refuses unknown fields and any speed but 1.
  nari: { ...QWEN, speed: false, taskType: false, reference: false, language: 'lower' },
  kokoro: PLAIN,
  speaches: PLAIN,
}

export const takesRecordings = (profile: Profile): boolean => DIALECTS[profile].reference

const TOKENS_PER_SECOND = 12.5
const LONGEST_RATIO = 3
const FEWEST_TOKENS = 128
const MOST_TOKENS = 4096
/** vLLM-Omni refuses longer ones. */
const INSTRUCTIONS_MAX_CHARACTERS = 500

/**
 * Builds the body of `POST /v1/audio/speech` from `extra` and the fields that the server's family knows.
 * @throws EngineError RENDER_FAILED for a voice or a speed without a field
 */
export function speechBody(block: SpeechServerBlock, request: SpeechRequest): Record<string, unknown> {
  const dialect = DIALECTS[block.profile]
  return {
    ...request.extra,
    model: block.model,
    input: request.text,
    response_format: 'wav',
    stream: false,
    ...voiceFields(dialect, block, request),
    ...speedField(dialect, block, request.speed),
    ...languageField(dialect, request.language ?? 'auto'),
    ...(dialect.seed && request.seed !== undefined && { seed: request.seed }),
    ...(dialect.maxNewTokens && { max_new_tokens: maxNewTokens(request.expectedSeconds) }),
    ...(dialect.instructions &&
      request.styleInstruction !== undefined && { instructions: shorten(request.styleInstruction) }),
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
  { soundAlone = false }: Dialect,
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
  if (!dialect.speed) throw new EngineError('RENDER_FAILED', `A ${block.profile} server speaks at its own speed only.`)
  return { speed }
}

function languageField({ language: as }: Dialect, language: string): { language?: string } {
  if (as === null || (as === 'given' && language === 'auto')) return {}
  return { language: as === 'given' ? language : spell(language, as) }
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

function shorten(instruction: string): string {
  const characters = [...instruction]
  if (characters.length <= INSTRUCTIONS_MAX_CHARACTERS) return instruction
  const cut = characters.slice(0, INSTRUCTIONS_MAX_CHARACTERS).join('')
  return /^\s/.test(characters[INSTRUCTIONS_MAX_CHARACTERS] ?? '') ? cut.trimEnd() : cut.replace(/\s+\S*$/, '')
}

/** Reads the names or objects of a server's list of voices; null if it is none. Pure. */
export function listedVoices(answer: unknown): string[] | null {
  const voices = Array.isArray(answer) ? answer : (answer as { voices?: unknown } | null)?.voices
  if (!Array.isArray(voices)) return null
  return voices.flatMap((voice: unknown) => {
    const { id, name } = (typeof voice === 'object' && voice !== null ? voice : { name: voice }) as Record<
      string,
      unknown
    >
    return [id, name].filter((one): one is string => typeof one === 'string').slice(0, 1)
  })
}
