import type { Wav } from '../../../src/audio/wav.ts'

const PCM = 1
const EXTENSIBLE = 0xfffe
const UNKNOWN_SIZE = 0xffffffff
const MAX_SAMPLE_RATE = 384_000

interface Chunk {
  readonly id: string
  readonly start: number
  readonly end: number
}

/** Reads PCM 16-bit mono. @throws Error with the violation */
export function parseWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || tag(view, 0) !== 'RIFF' || tag(view, 8) !== 'WAVE')
    throw new Error('This is not a WAV file.')
  let sampleRate: number | undefined
  for (const { id, start, end } of chunks(view)) {
    if (id === 'fmt ') sampleRate = readFormat(view, start, end)
    if (id !== 'data') continue
    if (sampleRate === undefined) throw new Error('This WAV file has its samples before their format.')
    return { sampleRate, channels: 1, samples: readSamples(bytes.subarray(start, end)) }
  }
  throw new Error('This WAV file has no samples.')
}

function* chunks(view: DataView): Generator<Chunk> {
  for (let at = 12; at + 8 <= view.byteLength; ) {
    const id = tag(view, at)
    const size = view.getUint32(at + 4, true)
    const start = at + 8
    const end = size === UNKNOWN_SIZE ? view.byteLength : start + size
    if (end > view.byteLength) throw new Error('This WAV file is cut off.')
    yield { id, start, end }
    at = end + (size % 2)
  }
}

function readFormat(view: DataView, start: number, end: number): number {
  if (end - start < 16) throw new Error('This WAV file has a broken format.')
  const code = view.getUint16(start, true)
  const isExtensible = code === EXTENSIBLE && end - start >= 26
  const encoding = isExtensible ? view.getUint16(start + 24, true) : code
  const channels = view.getUint16(start + 2, true)
  const sampleRate = view.getUint32(start + 4, true)
  const bits = view.getUint16(start + 14, true)
  if (encoding !== PCM || bits !== 16 || channels !== 1) {
    throw new Error(`This WAV file is not PCM 16-bit mono (encoding ${encoding}, ${bits} bits, ${channels} channels).`)
  }
  if (sampleRate === 0 || sampleRate > MAX_SAMPLE_RATE)
    throw new Error(`This WAV file has a sample rate of ${sampleRate}.`)
  return sampleRate
}

function readSamples(bytes: Uint8Array): Int16Array {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2))
  const even = whole.byteOffset % 2 === 0 ? whole : new Uint8Array(whole)
  return new Int16Array(even.buffer, even.byteOffset, even.byteLength / 2)
}

const tag = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
