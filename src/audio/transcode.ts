import { Readable } from 'node:stream'
import type { AudioThreads } from './audio-threads.ts'
import type { AudioFormat } from './format.ts'

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

/** A file of samples as they come, as fast as its reader takes it. @param rate of the file, in Hz; its format's own unless given. @throws what the samples break off with: then there is no whole file */
export async function* transcode(
  threads: AudioThreads,
  { sampleRate, totalSamples, blocks }: SampleStream,
  format: AudioFormat,
  rate?: number,
): AsyncGenerator<Uint8Array, void> {
  const encoder = threads.startEncoder({
    format,
    sampleRate,
    rate,
    ...(totalSamples !== undefined && { totalSamples }),
  })
  try {
    for await (const block of blocks) {
      const bytes = await encoder.push(block)
      if (bytes.length > 0) yield bytes
    }
    const rest = await encoder.end()
    if (rest.length > 0) yield rest
  } finally {
    encoder.drop()
  }
}

/** The same as bytes to be sent. Where its reader leaves, even before it has read any, nothing stays open. */
export function transcoded(threads: AudioThreads, speech: SampleStream, format: AudioFormat): Readable {
  // In bytes, not in objects: a reader that is slow is to have little waiting for it.
  const content = Readable.from(transcode(threads, speech, format), { objectMode: false })
  // A generator that was asked for nothing runs none of its own ends.
  return content.once('close', () => speech.close?.())
}
