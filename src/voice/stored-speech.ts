import type { Readable } from 'node:stream'
import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import { AudioBusy } from '../audio/audio-shares.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { type AnyFormat, AUDIO_FORMATS, type AudioFormat, FILE_TYPES, formatOfType } from '../audio/format.ts'
import { type SampleStream, transcoded } from '../audio/transcode.ts'
import { WAV_HEADER_BYTES, type Wav } from '../audio/wav.ts'
import { nextTurn } from '../concurrency/next-turn.ts'
import type { Context, Parts } from '../context/context.ts'
import { audioGone, invalidRequest, jobNotFound, notFound, ServiceError } from '../errors/service-error.ts'
import { findJob } from '../jobs/job.ts'
import type { Job } from '../jobs/job-shape.ts'
import type { StoredOutput } from '../jobs/sign-outputs.ts'
import { MAX_SPEECH_SECONDS } from './assemble.ts'

const BLOCK_SAMPLES = 65_536
const RETRY_AFTER_SECONDS = 1
export const DEFAULT_PEAKS = 160
const MAX_PEAKS = 1000
const FULL = 32_768
/** Longer speech is only served as it is stored: to decode it would take the memory of a process. */
const MAX_DECODED_MS = MAX_SPEECH_SECONDS * 1000

export interface SpeechParts extends Pick<Parts, 'storage'> {
  readonly audio: AudioThreads
}

type AudioContext = Context & SpeechParts

export interface JobAudio {
  readonly contentType: string
  readonly format: AnyFormat
  readonly content: Readable
}

/**
 * Reads a stored file as samples; decodes other formats than WAV fully.
 * @param owner the account whose share of decoded audio it uses until `close`; null: none
 * @param gone aborted when the reader disconnects
 * @throws if the file is missing or truncated; AudioBusy if too much audio is decoded; INVALID_REQUEST if it is too long for that
 */
export async function storedSpeech(
  parts: SpeechParts,
  owner: string | null,
  { storageKey, contentType, durationMs }: StoredOutput,
  gone?: AbortSignal,
): Promise<SampleStream> {
  const format = formatOfType(contentType)
  if (format === null) throw new Error(`a stored file is no audio: ${contentType}`)
  if (format === 'wav') return wavSamples(await readStored(parts, storageKey))
  if (isLong({ durationMs })) throw tooLong()
  const release = owner === null ? () => undefined : await parts.audio.shares.decoded.acquire(owner, gone)
  try {
    const file = await readStored(parts, storageKey)
    const wav = await parts.audio.decode(Buffer.concat(await file.toArray()), format)
    return { sampleRate: wav.sampleRate, totalSamples: wav.samples.length, blocks: blocksOf(wav), close: release }
  } catch (error) {
    release()
    throw error
  }
}

const isLong = ({ durationMs }: Pick<StoredOutput, 'durationMs'>): boolean => (durationMs ?? 0) > MAX_DECODED_MS

const tooLong = (): ServiceError => {
  const message = `cannot be chosen for speech of more than ${MAX_DECODED_MS / 3_600_000} hours: read it as it is stored`
  return invalidRequest('Invalid request: see `details`.', [{ path: 'format', message }])
}

/** Returns null if too much audio is decoded. */
export const storedUnlessMany = (...given: Parameters<typeof storedSpeech>): Promise<SampleStream | null> =>
  storedSpeech(...given).catch((error: unknown) => {
    if (error instanceof AudioBusy) return null
    throw error
  })

/** @throws NOT_FOUND if the file was deleted */
const readStored = ({ storage }: Pick<SpeechParts, 'storage'>, key: string): Promise<Readable> =>
  storage.read(key).catch(async (error: unknown) => {
    throw (await storage.stat(key)) === null ? notFound() : error
  })

async function* blocksOf({ samples }: Wav): AsyncGenerator<Int16Array, void> {
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) yield samples.subarray(at, at + BLOCK_SAMPLES)
}

export async function wavSamples(file: Readable): Promise<SampleStream> {
  const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let head = Buffer.alloc(0)
  while (head.length < WAV_HEADER_BYTES) {
    const { done, value } = await chunks.next()
    if (done === true) throw new Error('a stored file ends within its header')
    head = Buffer.concat([head, value])
  }
  const totalSamples = head.readUInt32LE(40) / 2
  return {
    sampleRate: head.readUInt32LE(24),
    totalSamples,
    close: () => void file.destroy(),
    blocks: samplesIn(head.subarray(WAV_HEADER_BYTES), { [Symbol.asyncIterator]: () => chunks }, totalSamples),
  }
}

async function* samplesIn(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  totalSamples: number,
): AsyncGenerator<Int16Array, void> {
  let left = first
  let count = 0
  const take = (): Int16Array => {
    const even = new Uint8Array(left.subarray(0, left.length - (left.length % 2)))
    left = left.subarray(even.length)
    count += even.length / 2
    return new Int16Array(even.buffer)
  }
  if (left.length >= 2) yield take()
  for await (const chunk of rest) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk])
    if (left.length >= 2) yield take()
  }
  if (count !== totalSamples) throw new Error('a stored file is not as long as its header says')
}

export const noSpeech = (): ServiceError =>
  new ServiceError('NOT_FOUND', 'Submit the text again: the job has no audio.')

/** @throws NOT_FOUND if the job failed, JOB_UNFINISHED if it may still complete, GONE if the file was deleted */
export function requireSpeech({ status, storedOutputs }: Job): StoredOutput {
  if (status === 'queued' || status === 'processing')
    throw new ServiceError('JOB_UNFINISHED', 'Wait for the seconds in Retry-After: the job is not completed yet.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  const speech = storedOutputs?.find(({ output }) => output === 'audio')
  if (status === 'failed' || speech === undefined) throw noSpeech()
  if (speech.deletedAt != null) throw audioGone()
  return speech
}

const LISTEN_AGAIN_SECONDS = 5

/** @param why for the log */
export const listeningEnded = (why: string): ServiceError =>
  new ServiceError('UNAVAILABLE', 'Try again later: the audio cannot be read now.', {
    retryAfterSeconds: LISTEN_AGAIN_SECONDS,
    cause: new Error(why),
  })

/**
 * Returns the peaks, from 0 to 1, of `count` equal stretches of stored audio. Null if it is deleted, no audio or longer than 3 hours.
 * @param owner the account whose share of decoded audio it uses
 * @throws INVALID_REQUEST unless count is 1 to 1,000; storage errors
 */
export async function peaksOf(
  parts: SpeechParts,
  owner: string,
  stored: StoredOutput,
  count: number,
): Promise<number[] | null> {
  if (count < 1 || count > MAX_PEAKS) {
    const details = [{ path: '/count', message: `must be 1 to ${MAX_PEAKS}` }]
    throw invalidRequest('Invalid arguments: see `details`.', details)
  }
  if (stored.deletedAt != null || formatOfType(stored.contentType) === null || isLong(stored)) return null
  const speech = await storedSpeech(parts, owner, stored)
  return highestOf(speech, count).finally(() => speech.close?.())
}

async function highestOf({ totalSamples = 0, blocks }: SampleStream, count: number): Promise<number[]> {
  const peaks = new Array<number>(count).fill(0)
  let at = 0
  for await (const block of blocks) {
    await nextTurn()
    for (const sample of block) {
      const bar = Math.min(count - 1, Math.floor((at++ * count) / totalSamples))
      const level = Math.abs(sample) / FULL
      if (level > (peaks[bar] as number)) peaks[bar] = level
    }
  }
  return peaks.map((peak) => Math.round(peak * 1000) / 1000)
}

/**
 * Speech of a completed voice job of the caller's account, re-encoded on the fly if its format differs. The stream fails if the
 * stored file does.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for an unknown format, NOT_FOUND (also for other accounts' jobs and failed jobs),
 * JOB_UNFINISHED, GONE, AudioBusy
 */
export async function voiceJobAudio(
  ctx: AudioContext,
  input: { readonly jobId: string; readonly format?: string | null | undefined; readonly gone: AbortSignal },
): Promise<JobAudio> {
  requireScope(ctx, JOB_READ_SCOPE)
  const format = requireFormat(input.format, AUDIO_FORMATS)
  const job = await findJob(ctx.db.pool, input.jobId, requireAccount(ctx).accountId)
  if (job?.type !== 'voice') throw jobNotFound()
  return audioOf(ctx, job, format, input.gone)
}

/**
 * Audio of a job that the caller may read.
 * @param format null: as stored
 * @param gone aborted when the reader disconnects
 */
export async function audioOf(
  parts: SpeechParts,
  job: Job,
  format: AudioFormat | null,
  gone: AbortSignal,
): Promise<JobAudio> {
  const stored = requireSpeech(job)
  const own = formatOfType(stored.contentType)
  const wanted = format ?? own ?? 'wav'
  const contentType = FILE_TYPES[wanted]
  if (wanted === own) return { format: wanted, contentType, content: await readStored(parts, stored.storageKey) }
  const speech = await storedSpeech(parts, job.accountId, stored, gone)
  const content = await transcoded(parts.audio, speech, { format: wanted, owner: job.accountId, gone })
  return { format: wanted, contentType, content }
}

/** @throws INVALID_REQUEST */
export function requireFormat<T extends string>(format: string | null | undefined, formats: readonly T[]): T | null {
  if (format === undefined || format === null) return null
  const found = formats.find((one) => one === format)
  if (found !== undefined) return found
  const message = `must be one of ${formats.join(', ')}`
  throw invalidRequest('Invalid request: see `details`.', [{ path: 'format', message }])
}
