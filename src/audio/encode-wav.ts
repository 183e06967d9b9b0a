import { type Encoding, type EncodingOptions, joinBytes } from './encoding.ts'
import { MAX_WAV_SAMPLES } from './format.ts'
import { UNKNOWN_SIZE, wavHeader } from './wav.ts'

/** The header marks an unknown length. */
export function encodeWav({ sampleRate, totalSamples = Number.POSITIVE_INFINITY }: EncodingOptions): Encoding {
  let head: Uint8Array | null = wavHeader(sampleRate, totalSamples <= MAX_WAV_SAMPLES ? totalSamples * 2 : UNKNOWN_SIZE)
  return {
    patches: [],
    push: (samples) => {
      const bytes = bytesOf(samples)
      if (head === null) return bytes
      const first = joinBytes([head, bytes])
      head = null
      return first
    },
    close: () => undefined,
  }
}

export const encodeSamples = (): Encoding => ({ patches: [], push: bytesOf, close: () => undefined })

const bytesOf = (samples: Int16Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
