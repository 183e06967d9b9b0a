import { type Encoding, type EncodingOptions, joinBytes } from './encoding.ts'
import { MAX_WAV_SAMPLES, UNKNOWN_SIZE } from './format.ts'
import { WAV_HEADER_BYTES, writeWavHeader } from './wav.ts'

/** The header marks an unknown length. */
export function encodeWav({ sampleRate, totalSamples }: EncodingOptions): Encoding {
  let head: Uint8Array | null = wavHead(sampleRate, totalSamples)
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

function wavHead(sampleRate: number, totalSamples = Number.POSITIVE_INFINITY): Uint8Array {
  const head = new Uint8Array(WAV_HEADER_BYTES)
  writeWavHeader(head, sampleRate)
  const view = new DataView(head.buffer)
  const isKnown = totalSamples <= MAX_WAV_SAMPLES
  view.setUint32(4, isKnown ? WAV_HEADER_BYTES - 8 + totalSamples * 2 : UNKNOWN_SIZE, true)
  view.setUint32(40, isKnown ? totalSamples * 2 : UNKNOWN_SIZE, true)
  return head
}

export const encodeSamples = (): Encoding => ({ patches: [], push: bytesOf, close: () => undefined })

export const bytesOf = (samples: Int16Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
