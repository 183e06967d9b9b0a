import { Readable } from 'node:stream'
import type { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import type { AudioShares } from './audio-shares.ts'
import type { AudioEncoder, AudioThreads } from './audio-threads.ts'
import { encodeSamples, encodeWav } from './encode-wav.ts'
import type { EncodingOptions, Marks } from './encoding.ts'
import { type BitRate, encoderRate, type SoundFormat } from './format.ts'

/** Larger pieces hold up other files in the thread. */
const PIECE_SAMPLES = 8192
/** Each piece is a message of a live text, and some WebSocket clients take 1 MiB at most. */
const PLAIN_PIECE_SAMPLES = 65_536

export interface SampleStream {
  readonly sampleRate: number
  readonly totalSamples?: number | undefined
  readonly isStored?: boolean
  readonly blocks: AsyncIterable<Int16Array>
  /** Also called if the reader ends before the first sample. */
  close?(): void
}

interface AudioReader extends Marks {
  readonly format: SoundFormat
  /** The file's rate in Hz; absent: the format's own. */
  readonly rate?: number | undefined
  /** Absent: the format's own. */
  readonly bitRate?: BitRate | undefined
  readonly owner: string
  readonly gone: AbortSignal
  /** The reader keeps the whole file in memory. */
  readonly isHeld?: boolean
}

interface BegunFile {
  readonly bytes: AsyncGenerator<Uint8Array, void>
  /** An unread generator runs no `finally`, so this ends it. */
  readonly close: () => void
}

/**
 * WAV and PCM that need no encoder take a place only if held.
 * @throws the source's error; AudioBusy before the first byte; the reason of `gone` while it waits
 */
export async function* transcode(
  threads: AudioThreads,
  { sampleRate, totalSamples, blocks }: SampleStream,
  { owner, gone, isHeld = false, ...file }: AudioReader,
): AsyncGenerator<Uint8Array, void> {
  const options = { ...file, sampleRate, ...(totalSamples !== undefined && { totalSamples }) }
  const release = await shareOf(threads.shares, file.format, isPlain(options), isHeld)?.acquire(owner, gone)
  try {
    yield* encoded(threads, blocks, options)
  } finally {
    release?.()
  }
}

/** Encodes samples as they come, without a share of the encoders: for the worker's own files. */
export async function* encoded(
  threads: AudioThreads,
  blocks: AsyncIterable<Int16Array>,
  options: EncodingOptions,
): AsyncGenerator<Uint8Array, void> {
  const [encoder, most] = isPlain(options)
    ? [plainEncoder(options), PLAIN_PIECE_SAMPLES]
    : [threads.startEncoder(options), PIECE_SAMPLES]
  try {
    for await (const block of blocks)
      for (let at = 0; at < block.length; at += most) {
        const bytes = await encoder.push(block.subarray(at, at + most))
        if (bytes.length > 0) yield bytes
      }
    const rest = await encoder.end()
    if (rest.length > 0) yield rest
  } finally {
    encoder.drop()
  }
}

function shareOf(shares: AudioShares, format: SoundFormat, needsNone: boolean, isHeld: boolean): FairSemaphore | null {
  if (format === 'flac' || (needsNone && isHeld)) return shares.large
  return needsNone ? null : shares.encoded
}

/** Waits for the first bytes, so a failure before them can still be answered. */
export async function beginFile(threads: AudioThreads, speech: SampleStream, reader: AudioReader): Promise<BegunFile> {
  const rest = transcode(threads, speech, reader)
  const close = (): void => {
    speech.close?.()
    void rest.return().catch(() => undefined)
  }
  try {
    const first = await rest.next()
    reader.gone.throwIfAborted()
    return { bytes: following(first, rest), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Closes the source if the reader leaves. */
export async function transcoded(threads: AudioThreads, speech: SampleStream, reader: AudioReader): Promise<Readable> {
  const { bytes, close } = await beginFile(threads, speech, reader)
  return Readable.from(bytes, { objectMode: false }).once('close', close)
}

async function* following(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (first.done !== true) yield first.value
  yield* rest
}

/** WAV and PCM at the rate of the samples need no thread. */
const isPlain = ({ format, sampleRate, rate = encoderRate(format, sampleRate) }: EncodingOptions): boolean =>
  rate === sampleRate && (format === 'wav' || format === 'pcm')

function plainEncoder(options: EncodingOptions): AudioEncoder {
  const encoding = options.format === 'pcm' ? encodeSamples() : encodeWav(options)
  return {
    push: async (samples) => encoding.push(samples, false),
    end: async () => encoding.push(new Int16Array(0), true),
    drop: () => undefined,
  }
}
