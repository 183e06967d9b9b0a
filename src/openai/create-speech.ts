import { Readable, type Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { requireAccount } from '../access/require.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { type AudioFormat, FILE_TYPES, knownLength, rateOf } from '../audio/format.ts'
import { beginFile, type SampleStream, transcode } from '../audio/transcode.ts'
import { describeError } from '../errors/describe-error.ts'
import { jobNotFound, ServiceError } from '../errors/service-error.ts'
import { findJob } from '../jobs/job.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { cancelJob } from '../jobs/lifecycle/cancel-job.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { requireTimed, timesOf } from '../voice/captions/voice-job-captions.ts'
import { listenToJob } from '../voice/listen-to-job.ts'
import { submitVoiceJob } from '../voice/submit-voice-job.ts'
import type { TimeSource } from '../voice/timing/speech-timing.ts'
import { OpenaiViolation, openaiBody, toOpenaiError } from './openai-error.ts'
import type { SpeechRequest } from './speech-request.ts'

const RETRY_AFTER_SECONDS = 5
const TOO_LONG = /NOT have more than \d+ characters/
const BASE64_STEP = 3
const BASE64_CHARACTERS = 4
const PIECE_BYTES = 48 * 1024
const FLUSH_POLL_MS = 5
const TYPES: Readonly<Record<AudioFormat, string>> = { ...FILE_TYPES, opus: 'audio/opus' }

export interface CreatedSpeech {
  readonly jobId: string
  readonly speech: SampleStream
  /** True if an earlier request with the same Idempotency-Key submitted the job. */
  readonly replayed: boolean
}

interface TimedSpeech {
  readonly audio: readonly Uint8Array[]
  readonly format: AudioFormat
  readonly sample_rate: number
  readonly duration_seconds: number
  readonly timing: TimeSource
  readonly words: readonly { text: string; start: number; end: number; source: TimeSource }[]
}

interface SpeechAnswer {
  readonly contentType: string
  /** Bytes; absent if unknown or if the job has not completed yet. */
  readonly length?: number | undefined
  readonly body: Readable
}

/**
 * Submits a text and passes its speech to `make`. An error or a disconnect before the answer cancels the job.
 * @throws errors of `submitVoiceJob` and `make`, JobFailure, UNAVAILABLE
 */
export async function createAnswer<T>(
  ctx: ServiceContext,
  request: SpeechRequest,
  gone: AbortSignal,
  make: (created: CreatedSpeech) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + ctx.settings.openai.waitSeconds * 1000
  const answer = async ({ jobId, replayed }: Submission): Promise<T> => {
    let speech: SampleStream | undefined
    try {
      speech = await hear(ctx, { jobId, isSubmitter: !replayed }, gone, deadline)
      return await make({ jobId, speech, replayed })
    } catch (error) {
      speech?.close?.()
      await withdraw(ctx, request, { jobId, replayed }, error)
      throw error
    }
  }
  const submitted = await submit(ctx, request)
  return answer(submitted).catch(async (error: unknown) => {
    if (!submitted.replayed || !isCancelled(error)) throw error
    // The earlier request has cancelled its job and freed the key.
    const own = await submit(ctx, request)
    if (own.jobId === submitted.jobId) throw error
    return answer(own)
  })
}

const isCancelled = (error: unknown): boolean => error instanceof JobFailure && error.code === 'JOB_CANCELLED'

/** @param deadline of the whole request, in milliseconds of `performance.now()` */
async function hear(
  ctx: ServiceContext,
  job: { readonly jobId: string; readonly isSubmitter: boolean },
  gone: AbortSignal,
  deadline: number,
): Promise<SampleStream> {
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(tooLate()), deadline - performance.now())
  const signal = AbortSignal.any([gone, waiting.signal])
  return listenToJob({ ...ctx, actor: requireAccount(ctx) }, { ...job, signal }).finally(() => clearTimeout(timer))
}

const tooLate = (): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again later: no audio came in time.', { retryAfterSeconds: RETRY_AFTER_SECONDS })

/**
 * Cancels a job whose caller gets an error, so that a retry does not pay twice. It frees the Idempotency-Key.
 * Another request's job stays, because that caller may still wait for it.
 */
async function withdraw(
  ctx: ServiceContext,
  { submission }: SpeechRequest,
  { jobId, replayed }: Pick<Submission, 'jobId' | 'replayed'>,
  error: unknown,
): Promise<void> {
  if (replayed || error instanceof JobFailure) return
  try {
    await cancelJob({ ...ctx, actor: { kind: 'system' } }, { jobId, forgottenKey: submission.idempotencyKey })
  } catch (failure) {
    ctx.log.warn({ jobId, ...describeError(failure) }, 'a job that no client waits for could not be cancelled')
  }
}

/** @throws OpenaiViolation if the endpoint rejects an input */
async function submit(ctx: ServiceContext, { submission, fieldOf }: SpeechRequest) {
  try {
    return await submitVoiceJob(ctx, submission)
  } catch (error) {
    const detail = error instanceof ServiceError && error.code === 'INVALID_REQUEST' ? error.details?.[0] : undefined
    if (detail === undefined) throw error
    const field = fieldOf(detail)
    const code = TOO_LONG.test(detail.message) ? 'string_above_max_length' : 'invalid_value'
    throw new OpenaiViolation(field, `${field} ${detail.message}`, code)
  }
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

/**
 * Makes the HTTP body of speech after its first bytes.
 * @param owner id of the account that pays
 * @throws the error that ends the speech before its first bytes, AudioBusy
 */
export async function answerSpeech(
  threads: AudioThreads,
  { format, sampleRate: rate, isSse, characters }: SpeechRequest,
  speech: SampleStream,
  { owner, response, gone }: { readonly owner: string; readonly response: Writable; readonly gone: AbortSignal },
): Promise<SpeechAnswer> {
  const { bytes, close } = await beginFile(threads, speech, { format, rate, owner, gone })
  const left = (): Promise<void> => untilWritten(body, response)
  const content = isSse ? events(bytes, characters, left) : bytes
  const body: Readable = Readable.from(content, { objectMode: false }).once('close', close)
  if (isSse) return { contentType: 'text/event-stream', body }
  const { sampleRate, totalSamples, isStored = false } = speech
  const isKnown = isStored && totalSamples !== undefined && rate === undefined
  return {
    contentType: TYPES[format],
    length: isKnown ? knownLength(format, sampleRate, totalSamples) : undefined,
    body,
  }
}

/** The error event precedes the break, so no client takes partial audio for the whole. */
async function* events(
  bytes: AsyncIterable<Uint8Array>,
  characters: number,
  left: () => Promise<void>,
): AsyncGenerator<string, void> {
  try {
    for await (const piece of bytes) {
      yield event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
    }
  } catch (error) {
    yield `event: error\ndata: ${openaiBody(toOpenaiError(error))}\n\n`
    await left()
    throw error
  }
  const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
  yield event({ type: 'speech.audio.done', usage })
}

/** Destroying the stream drops unsent bytes, so the error waits until the client has them. */
async function untilWritten(body: Readable, response: Writable): Promise<void> {
  while (!response.destroyed && (body.readableLength > 0 || response.writableLength > 0)) await wait(FLUSH_POLL_MS)
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
