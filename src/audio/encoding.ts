import type { AudioFormat } from './format.ts'

/** What is to become of samples. */
export interface EncodingOptions {
  readonly format: AudioFormat
  /** Of the samples, in Hz. */
  readonly sampleRate: number
  /** The sample rate of the file in Hz; the default is the format's own. */
  readonly rate?: number | undefined
  /** How many samples will come, where that is known: players then show the length of what they are still receiving. */
  readonly totalSamples?: number
}

/** Samples as they become a file, in the thread that encodes. */
export interface Encoding {
  /** The bytes that the samples lead to, which may be none yet; with `isLast` all that are left. A copy of its own. */
  push(samples: Int16Array, isLast: boolean): Uint8Array<ArrayBuffer>
  /** What only the end tells and belongs further up in the file: for files that are not on their way yet. */
  readonly patches: readonly Patch[]
  close(): void
}

/** Bytes that belong at a position that was written before. */
export interface Patch {
  readonly at: number
  readonly bytes: Uint8Array
}

/** One array of several. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
