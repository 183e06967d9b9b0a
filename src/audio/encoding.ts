import type { AudioFormat } from './format.ts'

export interface EncodingOptions {
  readonly format: AudioFormat
  /** In Hz. */
  readonly sampleRate: number
  /** The file's rate in Hz; absent: the format's own. */
  readonly rate?: number | undefined
  readonly totalSamples?: number
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

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

export function concatenated(parts: readonly Int16Array[]): Int16Array {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part, at)
    at += part.length
  }
  return samples
}
