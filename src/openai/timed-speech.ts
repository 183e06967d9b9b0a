import { Readable } from 'node:stream'
import { requireAccount } from '../access/require.ts'
import { type AudioFormat, rateOf } from '../audio/format.ts'
import { transcode } from '../audio/transcode.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { findJob } from '../jobs/find-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { timesOf } from '../voice/captions/timed-text.ts'
import { requireTimed } from '../voice/captions/voice-job-captions.ts'
import type { TimeSource } from '../voice/timing/speech-timing.ts'
import type { CreatedSpeech } from './create-speech.ts'
import type { SpeechRequest } from './speech-request.ts'

const BASE64_STEP = 3
const BASE64_CHARACTERS = 4
const PIECE_BYTES = 48 * 1024

interface TimedSpeech {
  readonly audio: readonly Uint8Array[]
  readonly format: AudioFormat
  readonly sample_rate: number
  readonly duration_seconds: number
  readonly timing: TimeSource
  readonly words: readonly { text: string; start: number; end: number; source: TimeSource }[]
}

export async function collectTimed(
  ctx: ServiceContext,
  { format, sampleRate }: SpeechRequest,
  { jobId, speech }: CreatedSpeech,
  gone: AbortSignal,
): Promise<TimedSpeech> {
  const pieces: Uint8Array[] = []
  const reader = { format, rate: sampleRate, owner: requireAccount(ctx).accountId, gone, isHeld: true }
  for await (const piece of transcode(ctx.audio, speech, reader)) pieces.push(piece)
  const job = await findJob(ctx.db.pool, jobId, requireAccount(ctx).accountId)
  if (job === null) throw jobNotFound()
  const { text, timing, durationMs } = await requireTimed(ctx, job)
  const times = timesOf(text, timing)
  return {
    audio: pieces,
    format,
    sample_rate: sampleRate ?? rateOf(format, speech.sampleRate),
    duration_seconds: durationMs / 1000,
    timing: times.timing,
    words: times.words.map(({ text: word, start, end, source }) => ({ text: word, start, end, source })),
  }
}

/** `length` is in bytes. */
export function timedJson({ audio, ...rest }: TimedSpeech): { readonly length: number; readonly body: Readable } {
  const [head, tail] = ['{"audio":"', `",${JSON.stringify(rest).slice(1)}`]
  const bytes = audio.reduce((sum, { length }) => sum + length, 0)
  const length = head.length + Math.ceil(bytes / BASE64_STEP) * BASE64_CHARACTERS + Buffer.byteLength(tail)
  const write = function* (): Generator<string, void> {
    yield head
    yield* inBase64(audio)
    yield tail
  }
  return { length, body: Readable.from(write(), { objectMode: false }) }
}

function* inBase64(pieces: readonly Uint8Array[]): Generator<string, void> {
  let rest: Uint8Array = new Uint8Array(0)
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      const bytes = Buffer.concat([rest, piece.subarray(at, at + PIECE_BYTES)])
      const whole = bytes.length - (bytes.length % BASE64_STEP)
      rest = bytes.subarray(whole)
      if (whole > 0) yield bytes.toString('base64', 0, whole)
    }
  if (rest.length > 0) yield Buffer.from(rest).toString('base64')
}
