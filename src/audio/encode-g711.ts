import type { Encoding } from './encoding.ts'

type Law = 'ulaw' | 'alaw'

const SAMPLE_VALUES = 2 ** 16
const [ULAW_BIAS, ULAW_CLIP] = [33, 8158]
const ALAW_CLIP = 4095
/** A law inverts every other bit. */
const ALAW_TOGGLED = 0x55

const tables = new Map<Law, Uint8Array>()

/** Encodes 8 kHz samples after ITU-T G.711: a byte a sample, without header. */
export function encodeG711(law: Law): Encoding {
  const table = tables.get(law) ?? makeTable(law === 'ulaw' ? toUlaw : toAlaw)
  tables.set(law, table)
  return {
    patches: [],
    push: (samples) => {
      const bytes = new Uint8Array(samples.length)
      for (let at = 0; at < samples.length; at++) bytes[at] = table[samples[at]! & (SAMPLE_VALUES - 1)]!
      return bytes
    },
    close: () => undefined,
  }
}

const makeTable = (encode: (sample: number) => number): Uint8Array =>
  Uint8Array.from({ length: SAMPLE_VALUES }, (_, index) => encode((index << 16) >> 16))

/** The law is defined on 14 bits. */
function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample) >> 2, ULAW_CLIP) + ULAW_BIAS
  const segment = 26 - Math.clz32(magnitude)
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 1)) & 0x0f)) & 0xff
}

/** The law is defined on 13 bits. */
function toAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = Math.min((sample < 0 ? ~sample : sample) >> 3, ALAW_CLIP)
  const segment = Math.max(0, 27 - Math.clz32(magnitude))
  const step = segment === 0 ? magnitude >> 1 : (magnitude >> segment) & 0x0f
  return (sign | (segment << 4) | step) ^ ALAW_TOGGLED
}
