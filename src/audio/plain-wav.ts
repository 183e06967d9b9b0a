import type { Wav } from './wav.ts'

interface Encoding {
  readonly bytes: number
  readonly read: (view: DataView, at: number, isLittle: boolean) => number
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
const ENCODING_AT_IN_EXTENSIBLE = 24
const FULL_SCALE = 32_768
const MAX_SAMPLE_RATE = 384_000
const MOST_CHUNKS = 1000
/** After a wrong chunk length the samples are searched this far. */
const HEAD_BYTES = 4096
const RIFF = /^(RIFF|RF64|BW64)$/
const CHUNK_NAME = /^[\w -]{4}$/

/** Keys: `code/bits` of the WAV format. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  '1/8': { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) * 256 },
  '1/16': { bytes: 2, read: (view, at, isLittle) => view.getInt16(at, isLittle) },
  '1/24': { bytes: 3, read: (view, at, isLittle) => readInt24(view, at, isLittle) / 256 },
  '1/32': { bytes: 4, read: (view, at, isLittle) => view.getInt32(at, isLittle) / 65_536 },
  '3/32': { bytes: 4, read: (view, at, isLittle) => view.getFloat32(at, isLittle) * FULL_SCALE },
  '3/64': { bytes: 8, read: (view, at, isLittle) => view.getFloat64(at, isLittle) * FULL_SCALE },
  '6/8': { bytes: 1, read: (view, at) => fromALaw(view.getUint8(at)) },
  '7/8': { bytes: 1, read: (view, at) => fromMuLaw(view.getUint8(at)) },
}

export interface SampleFormat {
  readonly code: number
  readonly channels: number
  readonly sampleRate: number
  readonly bits: number
}

interface WavPlaces extends SampleFormat {
  readonly data: Uint8Array
}

/** Returns null for other files and unknown encodings. Pure. */
export function readWav(bytes: Uint8Array): Wav | null {
  const places = findWav(bytes)
  return places && wavOf(places, places.data)
}

/** Returns null for unknown encodings. Pure. */
export function wavOf(format: SampleFormat, data: Uint8Array, isLittle = true): Wav | null {
  const { code, channels, sampleRate, bits } = format
  const encoding = ENCODINGS[`${code}/${Math.ceil(bits / 8) * 8}`]
  if (encoding === undefined || channels === 0 || sampleRate === 0 || sampleRate > MAX_SAMPLE_RATE) return null
  const frames = Math.floor(data.length / (encoding.bytes * channels))
  const isPlain = code === PCM && encoding.bytes === 2 && channels === 1 && isLittle
  const samples = isPlain
    ? new Int16Array(new Uint8Array(data.subarray(0, frames * 2)).buffer)
    : mixed(data, { encoding, channels, isLittle, isFloat: code === FLOAT }, frames)
  return { sampleRate, channels: 1, samples }
}

interface Mixing {
  readonly encoding: Encoding
  readonly channels: number
  readonly isLittle: boolean
  readonly isFloat: boolean
}

/** Floats beyond full scale are turned down together, because clipping crackles. */
function mixed(data: Uint8Array, { encoding, channels, isLittle, isFloat }: Mixing, frames: number): Int16Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const sums = new Float32Array(frames)
  let highest = FULL_SCALE
  for (let index = 0, at = 0; index < frames; index++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, at += encoding.bytes) sum += encoding.read(view, at, isLittle)
    const mean = sum / channels
    sums[index] = mean
    if (isFloat && Number.isFinite(mean)) highest = Math.max(highest, Math.abs(mean))
  }
  const factor = FULL_SCALE / highest
  return Int16Array.from(sums, (value) => Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value * factor))))
}

/** Returns null if it is no WAV file. Samples of unknown or wrong length extend to its end. */
export function findWav(bytes: Uint8Array): WavPlaces | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tag = (at: number): string => Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')
  if (bytes.length < 12 || !RIFF.test(tag(0)) || tag(8) !== 'WAVE') return null
  let format: SampleFormat | null = null
  for (let at = 12, chunks = 0; at + 8 <= bytes.length && chunks < MOST_CHUNKS; chunks++) {
    const [start, size] = [at + 8, view.getUint32(at + 4, true)]
    const end = start + size
    if (tag(at) === 'data') {
      const isLast = bytes.length < end + 8
      const isTrue = size > 0 && (isLast || [end, end + 1].some((next) => CHUNK_NAME.test(tag(next))))
      return format && { ...format, data: bytes.subarray(start, isTrue ? end : bytes.length) }
    }
    if (tag(at) === 'fmt ' && size >= 16 && end <= bytes.length) format = readFormat(view, start, size)
    // Some writers omit the pad byte of an odd chunk.
    at = end + (size % 2 === 1 && bytes[end] === 0 ? 1 : 0)
  }
  return format && findSamples(bytes, format)
}

function findSamples(bytes: Uint8Array, format: SampleFormat): WavPlaces | null {
  const at = Buffer.from(bytes.subarray(0, HEAD_BYTES)).indexOf('data', 12, 'latin1')
  return at < 0 ? null : { ...format, data: bytes.subarray(at + 8) }
}

function readFormat(view: DataView, start: number, size: number): SampleFormat {
  const code = view.getUint16(start, true)
  const isExtensible = code === EXTENSIBLE && size >= ENCODING_AT_IN_EXTENSIBLE + 2
  return {
    code: isExtensible ? view.getUint16(start + ENCODING_AT_IN_EXTENSIBLE, true) : code,
    channels: view.getUint16(start + 2, true),
    sampleRate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  }
}

const readInt24 = (view: DataView, at: number, isLittle: boolean): number =>
  isLittle
    ? view.getUint16(at, true) + view.getInt8(at + 2) * 65_536
    : view.getInt8(at) * 65_536 + view.getUint16(at + 1, false)

/** ITU-T G.711. */
function fromALaw(byte: number): number {
  const value = byte ^ 0x55
  const segment = (value & 0x70) >> 4
  const step = ((value & 0x0f) << 4) + (segment === 0 ? 0x08 : 0x108)
  const level = segment > 1 ? step << (segment - 1) : step
  return (value & 0x80) !== 0 ? level : -level
}

/** ITU-T G.711. */
function fromMuLaw(byte: number): number {
  const value = ~byte & 0xff
  const level = ((((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4)) - 0x84
  return (value & 0x80) !== 0 ? -level : level
}
