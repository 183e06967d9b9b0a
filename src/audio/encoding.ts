import type { BitRate, SoundFormat } from './format.ts'

export interface EncodingOptions extends Marks {
  readonly format: SoundFormat
  /** In Hz. */
  readonly sampleRate: number
  /** The file's rate in Hz; absent: the format's own. */
  readonly rate?: number | undefined
  /** The bit rate of MP3 and Opus; absent: the format's own. */
  readonly bitRate?: BitRate | undefined
  readonly totalSamples?: number
}

/** An M4B file has them; other formats leave them out. */
export interface Marks {
  /** In the order of their times; the first one begins at the beginning. */
  readonly chapters?: readonly Chapter[] | undefined
  readonly title?: string | undefined
}

export interface Chapter {
  readonly title: string
  readonly fromMs: number
}

export interface Encoding {
  /** Perhaps no bytes yet; with `isLast` all that remain. */
  push(samples: Int16Array, isLast: boolean): Uint8Array<ArrayBuffer>
  /** Earlier bytes that only the end tells. */
  readonly patches: readonly Patch[]
  close(): void
}

export interface Patch {
  readonly at: number
  readonly bytes: Uint8Array
}

const FULL_SCALE = 32_768

/** From -1 to 1. */
export function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let at = 0; at < samples.length; at++) floats[at] = samples[at]! / FULL_SCALE
  return floats
}

/** The result has a buffer of its own, which can be transferred. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  filled(new Uint8Array(lengthOf(parts)), parts)

/** A single part is returned as it is. */
export const concatenated = (parts: readonly Int16Array[]): Int16Array =>
  parts.length === 1 ? parts[0]! : filled(new Int16Array(lengthOf(parts)), parts)

const lengthOf = (parts: readonly { readonly length: number }[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0)

function filled<Whole extends Uint8Array | Int16Array>(
  whole: Whole,
  parts: readonly (Uint8Array | Int16Array)[],
): Whole {
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
