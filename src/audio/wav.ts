import { nextTurn } from '../concurrency/next-turn.ts'

const PCM = 1
export const WAV_HEADER_BYTES = 44
/** Marks an unknown size in a header. */
export const UNKNOWN_SIZE = 0xffffffff
const MONO = 1
const BYTES_PER_SAMPLE = 2

/** Decoded PCM 16-bit mono. */
export interface Wav {
  readonly sampleRate: number
  readonly channels: 1
  readonly samples: Int16Array
}

/** Samples that `joinSamples` has joined are not copied again: the file shares their memory. */
export function writeWav(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = samples
  const isFile = byteOffset === WAV_HEADER_BYTES && buffer.byteLength === WAV_HEADER_BYTES + byteLength
  const file = new Uint8Array(
    isFile && buffer instanceof ArrayBuffer ? buffer : new ArrayBuffer(WAV_HEADER_BYTES + byteLength),
  )
  if (file.buffer !== buffer) file.set(new Uint8Array(buffer, byteOffset, byteLength), WAV_HEADER_BYTES)
  file.set(wavHeader(sampleRate, byteLength))
  return file
}

/** Leaves room for a header before the samples. A long recording is copied in several turns. */
export async function joinSamples(parts: readonly Int16Array[]): Promise<Int16Array> {
  const count = parts.reduce((sum, { length }) => sum + length, 0)
  const file = new ArrayBuffer(WAV_HEADER_BYTES + count * BYTES_PER_SAMPLE)
  const samples = new Int16Array(file, WAV_HEADER_BYTES)
  let at = 0
  for (const part of parts) {
    if (at > 0) await nextTurn()
    samples.set(part, at)
    at += part.length
  }
  return samples
}

export const durationMs = (wav: Wav): number => Math.round((wav.samples.length / wav.sampleRate) * 1000)

/** @param bytes of the samples; UNKNOWN_SIZE if nobody knows yet */
export function wavHeader(sampleRate: number, bytes: number): Uint8Array {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(Math.min(UNKNOWN_SIZE, bytes + WAV_HEADER_BYTES - 8), 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(PCM, 20)
  header.writeUInt16LE(MONO, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return header
}
