import { Readable } from 'node:stream'
import type { AudioPlaces, AudioShares } from './audio-shares.ts'
import type { AudioEncoder, AudioThreads } from './audio-threads.ts'
import { encodeSamples, encodeWav } from './encode-wav.ts'
import type { EncodingOptions } from './encoding.ts'
import { type AudioFormat, PCM_RATE } from './format.ts'

/** About a third of a second: an encoder that gets more at once makes its thread's memory grow, and holds up the other files there. */
const PIECE_SAMPLES = 8192

/** Samples that come bit by bit. */
export interface SampleStream {
  readonly sampleRate: number
  /** How many there are, where that is known. */
  readonly totalSamples?: number | undefined
  /** All of them are stored already, and their job is completed. */
  readonly isStored?: boolean
  readonly blocks: AsyncIterable<Int16Array>
  /** Closes what they are read from, for a reader that ends early, perhaps before the first one. */
  close?(): void
}

/** Who reads samples as a file. */
interface AudioReader {
  readonly format: AudioFormat
  /** The sample rate of the file in Hz; the default is the format's own. */
  readonly rate?: number | undefined
  /** The account whose share of the encoders it takes. */
  readonly owner: string
  /** Aborted when the reader hangs up. */
  readonly gone: AbortSignal
  /** The reader keeps the whole file in memory. */
  readonly isHeld?: boolean
}

/** A file whose first bytes are there. */
interface BegunFile {
  /** All of its bytes. */
  readonly bytes: AsyncGenerator<Uint8Array, void>
  /** Ends it, also before it was read: a generator that was asked for nothing runs none of its own ends. */
  readonly close: () => void
}

/**
 * A file of samples as they come, as fast as its reader takes it. WAV and PCM that need no encoder wait for no place unless they are held.
 * @throws what the samples break off with: then there is no whole file; AudioBusy before the first byte, the reason of `gone` while it waits
 */
export async function* transcode(
  threads: AudioThreads,
  { sampleRate, totalSamples, blocks }: SampleStream,
  { format, rate, owner, gone, isHeld = false }: AudioReader,
): AsyncGenerator<Uint8Array, void> {
  const options = { format, sampleRate, rate, ...(totalSamples !== undefined && { totalSamples }) }
  const plain = plainEncoder(options)
  const release = await shareOf(threads.shares, format, plain !== null, isHeld)?.acquire(owner, gone)
  const encoder = plain ?? threads.startEncoder(options)
  try {
    for await (const block of blocks)
      for (let at = 0; at < block.length; at += PIECE_SAMPLES) {
        const bytes = await encoder.push(block.subarray(at, at + PIECE_SAMPLES))
        if (bytes.length > 0) yield bytes
      }
    const rest = await encoder.end()
    if (rest.length > 0) yield rest
  } finally {
    encoder.drop()
    release?.()
  }
}

function shareOf(shares: AudioShares, format: AudioFormat, isPlain: boolean, isHeld: boolean): AudioPlaces | null {
  if (format === 'flac' || (isPlain && isHeld)) return shares.large
  return isPlain ? null : shares.encoded
}

/** Waits for the first bytes of the file, so that a failure before them can still be answered with an error. */
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

/** The file as a stream of bytes. It closes its source if the reader leaves, also before the first byte. */
export async function transcoded(threads: AudioThreads, speech: SampleStream, reader: AudioReader): Promise<Readable> {
  const { bytes, close } = await beginFile(threads, speech, reader)
  // In bytes, not in objects: a reader that is slow is to have little waiting for it.
  return Readable.from(bytes, { objectMode: false }).once('close', close)
}

async function* following(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (first.done !== true) yield first.value
  yield* rest
}

/** Encodes WAV and PCM that need no resampling, without a thread; null for other files. */
function plainEncoder(options: EncodingOptions): AudioEncoder | null {
  const { format, sampleRate, rate = format === 'pcm' ? PCM_RATE : sampleRate } = options
  if (rate !== sampleRate || (format !== 'wav' && format !== 'pcm')) return null
  const encoding = format === 'pcm' ? encodeSamples() : encodeWav(options)
  return {
    push: async (samples) => encoding.push(samples, false),
    end: async () => encoding.push(new Int16Array(0), true),
    drop: () => undefined,
  }
}
