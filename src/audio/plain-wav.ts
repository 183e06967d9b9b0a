import { writeWav } from './wav.ts'

/** The bytes of a sample, and what it is in 16 bits. */
interface Encoding {
  readonly bytes: number
  readonly read: (view: DataView, at: number) => number
}

const EXTENSIBLE = 0xfffe
const ENCODING_AT_IN_EXTENSIBLE = 24
const FULL_SCALE = 32_768
/** A recording has a handful: a file made of nothing but chunks is not walked through. */
const MOST_CHUNKS = 1000

/** By the format's code and its bits: what FFmpeg's decoders here do not read, and recorders, telephones and editors write. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  '1/8': { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) * 256 },
  '1/32': { bytes: 4, read: (view, at) => view.getInt32(at, true) / 65_536 },
  '3/64': { bytes: 8, read: (view, at) => view.getFloat64(at, true) * FULL_SCALE },
  '6/8': { bytes: 1, read: (view, at) => fromALaw(view.getUint8(at)) },
  '7/8': { bytes: 1, read: (view, at) => fromMuLaw(view.getUint8(at)) },
}

/** Where a WAV file's format and samples lie. */
interface WavPlaces {
  readonly code: number
  readonly channels: number
  readonly sampleRate: number
  readonly bits: number
  readonly data: Uint8Array
}

/** A WAV file of 8, 32 or 64 bits, A-law or mu-law as 16-bit mono; any other file as it is. Pure. */
export function toPlainWav(bytes: Uint8Array): Uint8Array {
  const places = findWav(bytes)
  const encoding = places === null ? undefined : ENCODINGS[`${places.code}/${places.bits}`]
  if (places === null || encoding === undefined || places.channels === 0) return bytes
  const { channels, sampleRate, data } = places
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const samples = new Int16Array(Math.floor(data.length / (encoding.bytes * channels)))
  for (let index = 0, at = 0; index < samples.length; index++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++, at += encoding.bytes) sum += encoding.read(view, at)
    samples[index] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sum / channels)))
  }
  return writeWav(samples, sampleRate)
}

/** Null for what is no WAV file, or lacks a part among its first thousand. What was cut off, or streamed without its size, goes on to the end of the file. */
export function findWav(bytes: Uint8Array): WavPlaces | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tag = (at: number): string => Buffer.from(bytes.subarray(at, at + 4)).toString('latin1')
  if (bytes.length < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') return null
  let format: Omit<WavPlaces, 'data'> | null = null
  for (let at = 12, chunks = 0; at + 8 <= bytes.length && chunks < MOST_CHUNKS; chunks++) {
    const [start, size] = [at + 8, view.getUint32(at + 4, true)]
    if (tag(at) === 'fmt ' && size >= 16 && start + size <= bytes.length) format = readFormat(view, start, size)
    if (tag(at) === 'data')
      return format && { ...format, data: bytes.subarray(start, size === 0 ? bytes.length : start + size) }
    at = start + size + (size % 2)
  }
  return null
}

function readFormat(view: DataView, start: number, size: number): Omit<WavPlaces, 'data'> {
  const code = view.getUint16(start, true)
  const isExtensible = code === EXTENSIBLE && size >= ENCODING_AT_IN_EXTENSIBLE + 2
  return {
    code: isExtensible ? view.getUint16(start + ENCODING_AT_IN_EXTENSIBLE, true) : code,
    channels: view.getUint16(start + 2, true),
    sampleRate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  }
}

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
