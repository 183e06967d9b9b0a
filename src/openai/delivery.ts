import { AUDIO_FORMATS, type AudioFormat, isAudioFormat } from '../audio/format.ts'
import { numberIn } from '../speech/speech-request.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'

const [LEAST_RATE, MOST_RATE] = [8000, 48_000]

export const OPENAI_VOICES: readonly string[] =
  'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ')

export interface Delivery {
  readonly format: AudioFormat
  readonly sampleRate?: number
  readonly isSse: boolean
  readonly isTimed: boolean
}

type Body = Readonly<Record<string, unknown>>

/** Reads how the speech is sent. @throws SpeechViolation */
export const readDelivery = (body: Body): Delivery => ({ ...fileOf(body), ...deliveryOf(body) })

/** @throws SpeechViolation */
function fileOf(body: Body): Pick<Delivery, 'format' | 'sampleRate'> {
  const format = formatOf(body.response_format)
  const rate = numberIn(body.sample_rate)
  if (rate === undefined || rate === null) return { format }
  if (format !== 'wav' && format !== 'pcm' && format !== 'flac')
    throw new SpeechViolation('sample_rate', 'Send sample_rate with response_format wav, pcm or flac alone.')
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < LEAST_RATE || rate > MOST_RATE)
    throw new SpeechViolation('sample_rate', `Send a whole number from ${LEAST_RATE} to ${MOST_RATE} as sample_rate.`)
  return { format, sampleRate: rate }
}

function formatOf(asked: unknown): AudioFormat {
  const value = typeof asked === 'string' ? asked.trim().toLowerCase() : asked
  if (value === undefined || value === null) return 'mp3'
  if (isAudioFormat(value)) return value
  const message = `Send response_format as one of ${AUDIO_FORMATS.join(', ')}.`
  throw new SpeechViolation('response_format', message, 'unsupported_format')
}

function deliveryOf(body: Body): Pick<Delivery, 'isSse' | 'isTimed'> {
  const { timestamps = null } = body
  if (timestamps !== null && typeof timestamps !== 'boolean')
    throw new SpeechViolation('timestamps', 'Send timestamps as true or false.')
  const delivery = { isSse: isSse(body.stream_format), isTimed: timestamps === true }
  if (delivery.isSse && delivery.isTimed)
    throw new SpeechViolation('timestamps', 'Send timestamps without stream_format sse.')
  return delivery
}

function isSse(value: unknown): boolean {
  if (value === undefined || value === null || value === 'audio') return false
  if (value === 'sse') return true
  throw new SpeechViolation('stream_format', 'Send stream_format as audio or sse.')
}
