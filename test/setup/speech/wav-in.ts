import type { Wav } from '../../../src/audio/wav.ts'

const EXTENSIBLE = 0xfffe

/** The form of a WAV file that is not PCM 16-bit mono. */
interface Writing {
  readonly code: number
  readonly bits: number
  readonly channels?: number
  readonly isExtensible?: boolean
  readonly write: (place: Buffer, sample: number) => void
}

/** A RIFF chunk, or the whole file, that may lie about its length. */
export function riffChunk(name: string, content: Uint8Array, size = content.length): Buffer {
  const head = Buffer.from(`${name}....`)
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, content])
}

/** Samples as a WAV file of any encoding; every channel has the same. */
export function wavIn(
  { samples, sampleRate }: Wav,
  { code, bits, channels = 1, isExtensible = false, write }: Writing,
): Buffer {
  const bytes = bits / 8
  const body = Buffer.alloc(samples.length * channels * bytes)
  for (let at = 0; at < samples.length * channels; at++) {
    write(body.subarray(at * bytes, (at + 1) * bytes), samples[Math.floor(at / channels)]!)
  }
  const format = Buffer.alloc(isExtensible ? 40 : 16)
  format.writeUInt16LE(isExtensible ? EXTENSIBLE : code, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(sampleRate, 4)
  format.writeUInt32LE(sampleRate * channels * bytes, 8)
  format.writeUInt16LE(channels * bytes, 12)
  format.writeUInt16LE(bits, 14)
  if (isExtensible) format.writeUInt16LE(code, 24)
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), riffChunk('fmt ', format), riffChunk('data', body)]))
}
