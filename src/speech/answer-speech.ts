import { Readable, type Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { requireAccount } from '../access/require.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { type BitRate, knownLength, type SoundFormat } from '../audio/format.ts'
import { beginFile, type SampleStream, transcode } from '../audio/transcode.ts'
import { describeError } from '../errors/describe-error.ts'
import { jobNotFound, ServiceError } from '../errors/service-error.ts'
import { findJob } from '../jobs/job.ts'
import { isVoiceLoading } from '../jobs/job-shape.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { cancelJob } from '../jobs/lifecycle/cancel-job.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { requireTimed, type SpeechTimes, timesOf } from '../voice/captions/voice-job-captions.ts'
import { listenToJob } from '../voice/listen-to-job.ts'
import { submitVoiceJob } from '../voice/submit-voice-job.ts'
import type { SpeechRequest } from './speech-request.ts'
import { SpeechViolation } from './speech-violation.ts'

const RETRY_AFTER_SECONDS = 5
const TOO_LONG = /NOT have more than \d+ characters/
const BASE64_STEP = 3
const BASE64_CHARACTERS = 4
const PIECE_BYTES = 48 * 1024
const FLUSH_POLL_MS = 5

/** The file that a client asks for. */
interface SpeechFile {
  readonly format: SoundFormat
  /** In Hz; absent: the format's own. */
  readonly sampleRate?: number
  /** Absent: the format's own. */
  readonly bitRate?: BitRate
}

export interface CreatedSpeech {
  readonly jobId: string
  /** The submitted text, which the job may not keep. */
  readonly text: string
  readonly speech: SampleStream
  /** True if an earlier request with the same Idempotency-Key submitted the job. */
  readonly replayed: boolean
}

export interface TimedSpeech {
  readonly audio: readonly Uint8Array[]
  /** The submitted text. */
  readonly text: string
  readonly speech: SampleStream
  readonly durationMs: number
  readonly times: SpeechTimes
}

interface AnswerReader {
  /** The id of the account that pays. */
  readonly owner: string
  readonly response: Writable
  readonly gone: AbortSignal
  /** Writes the body around the file's bytes. `written` resolves when the client has all that was sent. */
  readonly around?: (bytes: AsyncIterable<Uint8Array>, written: () => Promise<void>) => AsyncIterable<string>
}

export interface SpeechBody {
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
  const text = String((request.submission.inputs as { readonly text?: unknown }).text)
  const deadline = performance.now() + ctx.settings.openai.waitSeconds * 1000
  const answer = async ({ jobId, replayed }: Submission): Promise<T> => {
    let speech: SampleStream | undefined
    try {
      const told = replayed ? undefined : request.onPart
      speech = await hear(ctx, { jobId, isSubmitter: !replayed, ...(told && { onPart: told }) }, gone, deadline)
      return await make({ jobId, text, speech, replayed })
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
  job: Omit<Parameters<typeof listenToJob>[1], 'signal'>,
  gone: AbortSignal,
  deadline: number,
): Promise<SampleStream> {
  const waiting = new AbortController()
  const giveUp = () => void tooLate(ctx, job.jobId).then((error) => waiting.abort(error))
  const timer = setTimeout(giveUp, deadline - performance.now())
  const signal = AbortSignal.any([gone, waiting.signal])
  return listenToJob({ ...ctx, actor: requireAccount(ctx) }, { ...job, signal }).finally(() => clearTimeout(timer))
}

async function tooLate({ db }: ServiceContext, jobId: string): Promise<ServiceError> {
  const job = await findJob(db.pool, jobId, null).catch(() => null)
  const message =
    job !== null && isVoiceLoading(job)
      ? 'Try again in a moment: the voice is being loaded.'
      : 'Try again later: no audio came in time.'
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

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

/** @throws SpeechViolation if the endpoint rejects an input */
async function submit(ctx: ServiceContext, { submission, fieldOf }: SpeechRequest) {
  try {
    return await submitVoiceJob(ctx, submission)
  } catch (error) {
    const detail = error instanceof ServiceError && error.code === 'INVALID_REQUEST' ? error.details?.[0] : undefined
    if (detail === undefined) throw error
    const field = fieldOf(detail)
    const code = TOO_LONG.test(detail.message) ? 'string_above_max_length' : 'invalid_value'
    throw new SpeechViolation(field, `${field} ${detail.message}`, code)
  }
}

/** Collects a whole file in memory, with the times of its words. @throws the job's error, AudioBusy */
export async function collectTimed(
  ctx: ServiceContext,
  { format, sampleRate: rate, bitRate }: SpeechFile,
  created: CreatedSpeech,
  gone: AbortSignal,
): Promise<TimedSpeech> {
  const audio: Uint8Array[] = []
  const reader = { format, rate, bitRate, owner: requireAccount(ctx).accountId, gone, isHeld: true }
  const { speech } = created
  for await (const piece of transcode(ctx.audio, speech, reader)) audio.push(piece)
  return { audio, speech, ...(await loadTimes(ctx, created)) }
}

/** The times of a completed job. */
export async function loadTimes(
  ctx: ServiceContext,
  created: Pick<CreatedSpeech, 'jobId' | 'text'>,
): Promise<Pick<TimedSpeech, 'text' | 'durationMs' | 'times'>> {
  const job = await findJob(ctx.db.pool, created.jobId, requireAccount(ctx).accountId)
  if (job === null) throw jobNotFound()
  const { text, timing, durationMs } = await requireTimed(ctx, job, created.text)
  return { text, durationMs, times: timesOf(text, timing) }
}

/** Writes a JSON object with the audio as its first member, in base64. `length` is in bytes. */
export function audioJson(
  name: string,
  audio: readonly Uint8Array[],
  rest: object,
): { readonly length: number; readonly body: Readable } {
  const [head, tail] = [`{"${name}":"`, `",${JSON.stringify(rest).slice(1)}`]
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
 * @throws the error that ends the speech before its first bytes, AudioBusy
 */
export async function answerSpeech(
  threads: AudioThreads,
  { format, sampleRate: rate, bitRate }: SpeechFile,
  speech: SampleStream,
  { owner, response, gone, around }: AnswerReader,
): Promise<SpeechBody> {
  const { bytes, close } = await beginFile(threads, speech, { format, rate, bitRate, owner, gone })
  const written = (): Promise<void> => untilWritten(body, response)
  const content = around === undefined ? bytes : around(bytes, written)
  const body: Readable = Readable.from(content, { objectMode: false }).once('close', close)
  const { sampleRate, totalSamples, isStored = false } = speech
  const isKnown = isStored && totalSamples !== undefined && rate === undefined && around === undefined
  return { length: isKnown ? knownLength(format, sampleRate, totalSamples) : undefined, body }
}

/** Destroying the stream drops unsent bytes, so the error waits until the client has them. */
async function untilWritten(body: Readable, response: Writable): Promise<void> {
  while (!response.destroyed && (body.readableLength > 0 || response.writableLength > 0)) await wait(FLUSH_POLL_MS)
}
