import { AUDIO_FORMATS, type AudioFormat, isAudioFormat } from '../audio/format.ts'
import { codePoints } from '../catalog/check-spoken-text.ts'
import { endpointKey, slugOfKey } from '../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { FASTEST_PACE, SLOWEST_PACE } from '../engines/engine.ts'
import { toServiceError } from '../errors/describe-error.ts'
import type { Detail } from '../errors/service-error.ts'
import { storedOptions } from '../jobs/job-options.ts'
import { endpointOfReplay } from '../jobs/lifecycle/require-replayable.ts'
import { noteRejection } from '../jobs/notes/note-submission.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import type { VoiceJobInput } from '../voice/submit-voice-job.ts'
import { namedAs } from './language-names.ts'
import { findModel, requireSpeaker } from './models.ts'
import { OpenaiViolation, violationCode } from './openai-error.ts'
import { requireVoice } from './voices.ts'

const [LEAST_RATE, MOST_RATE] = [8000, 48_000]
const MAX_SEED = 2 ** 31 - 1
const NO_INSTRUCTIONS: readonly unknown[] = [undefined, null, '', 'None']

export interface SpeechRequest {
  readonly submission: VoiceJobInput
  readonly format: AudioFormat
  readonly sampleRate?: number
  readonly isSse: boolean
  readonly isTimed: boolean
  /** Unicode code points; the price depends on them. */
  readonly characters: number
  readonly fieldOf: (detail: Detail) => string
}

type Body = Readonly<Record<string, unknown>>

/**
 * A replay under its Idempotency-Key succeeds even if the model or voice has changed since.
 * @throws OpenaiViolation, IDEMPOTENCY_MISMATCH
 */
export async function readSpeechRequest(
  ctx: Context & MeasuredParts,
  body: Body,
  idempotencyKey: string | undefined,
): Promise<SpeechRequest> {
  try {
    return await readNew(ctx, body, idempotencyKey).catch((error: unknown) =>
      readReplay(ctx, body, idempotencyKey, error),
    )
  } catch (error) {
    const code = error instanceof OpenaiViolation ? violationCode(error) : toServiceError(error).code
    noteRejection(ctx, { type: 'voice', endpointKey: endpointKey(slugNamedIn(ctx, body)) }, code)
    throw error
  }
}

/** @throws the given error if this repeats no request; IDEMPOTENCY_MISMATCH */
async function readReplay(
  ctx: Context,
  body: Body,
  idempotencyKey: string | undefined,
  error: unknown,
): Promise<SpeechRequest> {
  const key = error instanceof OpenaiViolation ? await endpointOfReplay(ctx, idempotencyKey, sentIn(body)) : null
  if (key === null) throw error
  return {
    submission: { slug: slugOfKey(key), inputs: {}, sent: sentIn(body), idempotencyKey },
    ...fileOf(body),
    ...deliveryOf(body),
    characters: codePoints(String(body.input)),
    fieldOf: ({ path }) => path,
  }
}

function slugNamedIn(ctx: Context, { model = null }: Body): string {
  if (model !== null && typeof model !== 'string') return ''
  return findModel(ctx, model || undefined)?.slug ?? ''
}

/** The fields that identify a repeated request; the format is not one of them. */
const sentIn = ({ model, input, voice, instructions, language, speed, seed }: Body): readonly unknown[] =>
  ['speech', model, input, voice, instructions, language, speed, seed].map((value) => value ?? null)

async function readNew(ctx: Context, body: Body, idempotencyKey: string | undefined): Promise<SpeechRequest> {
  const hasVoice = (endpoint: VoiceEndpoint) =>
    requireVoice(ctx, endpoint, body.voice).then(
      () => true,
      () => false,
    )
  const endpoint = await requireSpeaker(ctx, textOf(body, 'model'), hasVoice)
  const text = textOf(body, 'input', true)
  if (text === undefined || text === '')
    throw new OpenaiViolation('input', 'Send the text to speak as input.', 'missing_required_parameter')
  const voice = await requireVoice(ctx, endpoint, body.voice)
  const options = storedOptions({
    speed: speedOf(endpoint, numberIn(body.speed)),
    seed: seedOf(numberIn(body.seed)),
    live: true,
  })
  return {
    submission: {
      slug: endpoint.slug,
      inputs: inputsOf(endpoint, text, voice, body),
      ...{ options, sent: sentIn(body), idempotencyKey },
    },
    ...fileOf(body),
    ...deliveryOf(body),
    characters: codePoints(text),
    fieldOf: ({ path }) => fieldOf(endpoint, path),
  }
}

function inputsOf(endpoint: VoiceEndpoint, text: string, voice: string, body: Body): Record<string, unknown> {
  const properties = (endpoint.inputs.properties ?? {}) as Readonly<
    Record<string, { readonly type?: unknown; readonly enum?: unknown } | undefined>
  >
  const takes = (name: string) => Object.hasOwn(properties, name)
  const takesNumber = (name: string) => takes(name) && [properties[name]?.type ?? 'number'].flat().some(isNumeric)
  const instructions = NO_INSTRUCTIONS.includes(body.instructions) ? undefined : body.instructions
  const language = namedAs(textOf(body, 'language'), properties.language?.enum)
  const own = ['speed', 'seed'].filter((name) => takesNumber(name) && (body[name] ?? null) !== null)
  return {
    text,
    [endpoint.voiceInput]: voice,
    ...(instructions !== undefined && takes('style_instruction') && { style_instruction: instructions }),
    ...(language !== undefined && takes('language') && { language }),
    ...Object.fromEntries(own.map((name) => [name, numberIn(body[name])])),
  }
}

const isNumeric = (type: unknown): boolean => type === 'number' || type === 'integer'

/** @throws OpenaiViolation */
function textOf(body: Body, name: string, keepEmpty = false): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || (value === '' && !keepEmpty)) return undefined
  if (typeof value !== 'string') throw new OpenaiViolation(name, `Send ${name} as a string.`)
  return value
}

const numberIn = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,10}(\.\d{1,10})?$/.test(value.trim()) ? Number(value) : value

/** @throws OpenaiViolation */
function fileOf(body: Body): Pick<SpeechRequest, 'format' | 'sampleRate'> {
  const format = formatOf(body.response_format)
  const rate = numberIn(body.sample_rate)
  if (rate === undefined || rate === null) return { format }
  if (format !== 'wav' && format !== 'pcm' && format !== 'flac')
    throw new OpenaiViolation('sample_rate', 'Send sample_rate with response_format wav, pcm or flac alone.')
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < LEAST_RATE || rate > MOST_RATE)
    throw new OpenaiViolation('sample_rate', `Send a whole number from ${LEAST_RATE} to ${MOST_RATE} as sample_rate.`)
  return { format, sampleRate: rate }
}

function formatOf(asked: unknown): AudioFormat {
  const value = typeof asked === 'string' ? asked.trim().toLowerCase() : asked
  if (value === undefined || value === null) return 'mp3'
  if (isAudioFormat(value)) return value
  const message = `Send response_format as one of ${AUDIO_FORMATS.join(', ')}.`
  throw new OpenaiViolation('response_format', message, 'unsupported_format')
}

function deliveryOf(body: Body): Pick<SpeechRequest, 'isSse' | 'isTimed'> {
  const { timestamps = null } = body
  if (timestamps !== null && typeof timestamps !== 'boolean')
    throw new OpenaiViolation('timestamps', 'Send timestamps as true or false.')
  const delivery = { isSse: isSse(body.stream_format), isTimed: timestamps === true }
  if (delivery.isSse && delivery.isTimed)
    throw new OpenaiViolation('timestamps', 'Send timestamps without stream_format sse.')
  return delivery
}

function isSse(value: unknown): boolean {
  if (value === undefined || value === null || value === 'audio') return false
  if (value === 'sse') return true
  throw new OpenaiViolation('stream_format', 'Send stream_format as audio or sse.')
}

function speedOf({ engine }: VoiceEndpoint, value: unknown): number | undefined {
  if (value === undefined || value === null || value === 1) return undefined
  if (typeof value !== 'number' || value < SLOWEST_PACE || value > FASTEST_PACE)
    throw new OpenaiViolation('speed', `Send a speed from ${SLOWEST_PACE} to ${FASTEST_PACE}.`)
  if (engine.profile === 'nari')
    throw new OpenaiViolation('speed', 'This model speaks at its own pace: leave out speed.')
  return value
}

function seedOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_SEED) return value
  throw new OpenaiViolation('seed', `Send a whole number from 0 to ${MAX_SEED} as seed.`)
}

function fieldOf({ voiceInput }: VoiceEndpoint, path: string): string {
  const name = path.replace(/^\/inputs\//, '')
  if (name === voiceInput) return 'voice'
  const fields: Readonly<Record<string, string>> = { text: 'input', style_instruction: 'instructions' }
  return fields[name] ?? name
}
