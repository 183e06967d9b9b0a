import type { Readable } from 'node:stream'
import { AudioBusy } from '../audio/audio-shares.ts'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { formatOfType } from '../audio/format.ts'
import type { SampleStream } from '../audio/transcode.ts'
import type { Wav } from '../audio/wav.ts'
import { WAV_HEADER_BYTES } from '../audio/wav-header.ts'
import type { Parts } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'
import type { StoredOutput } from '../jobs/sign-outputs.ts'

const BLOCK_SAMPLES = 65_536

export interface SpeechParts extends Pick<Parts, 'storage'> {
  readonly audio: AudioThreads
}

/**
 * Reads a stored file as samples; decodes other formats than WAV fully.
 * @param owner the account whose share of decoded audio it uses until `close`; null: none
 * @param gone aborted when the reader disconnects
 * @throws if the file is missing or truncated; AudioBusy if too much audio is decoded
 */
export async function storedSpeech(
  parts: SpeechParts,
  owner: string | null,
  { storageKey, contentType }: StoredOutput,
  gone?: AbortSignal,
): Promise<SampleStream> {
  const format = formatOfType(contentType)
  if (format === null) throw new Error(`a stored file is no audio: ${contentType}`)
  if (format === 'wav') return wavSamples(await readStored(parts, storageKey))
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

/** Returns null if too much audio is decoded. */
export const storedUnlessMany = (...given: Parameters<typeof storedSpeech>): Promise<SampleStream | null> =>
  storedSpeech(...given).catch((error: unknown) => {
    if (error instanceof AudioBusy) return null
    throw error
  })

/** @throws NOT_FOUND if the file was deleted */
export const readStored = ({ storage }: Pick<SpeechParts, 'storage'>, key: string): Promise<Readable> =>
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
