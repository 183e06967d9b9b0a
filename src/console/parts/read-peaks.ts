const HEADER_BYTES = 12
const CHUNK_HEAD_BYTES = 8
const FULL = 32_768

/**
 * The loudest sample of each of `count` equal stretches of PCM of 16 bits in a WAV file, from 0 to 1, louder speech scaled up to 1. Null
 * where it is no such file.
 */
export function readPeaks(file: ArrayBuffer, count: number): Float32Array | null {
  const view = new DataView(file)
  const data = findChunk(view, 'data')
  const format = findChunk(view, 'fmt ')
  if (data === null || format === null) return null
  const isPcm16 = view.getUint16(format.at, true) === 1 && view.getUint16(format.at + 14, true) === 16
  if (!isPcm16) return null
  const samples = Math.floor(Math.min(data.length, view.byteLength - data.at) / 2)
  const peaks = new Float32Array(count)
  for (let index = 0; index < samples; index++) {
    const bar = Math.min(count - 1, Math.floor((index / samples) * count))
    const level = Math.abs(view.getInt16(data.at + 2 * index, true)) / FULL
    if (level > peaks[bar]!) peaks[bar] = level
  }
  const loudest = Math.max(...peaks)
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest)
}

function findChunk(view: DataView, name: string): { at: number; length: number } | null {
  if (view.byteLength < HEADER_BYTES || textAt(view, 0) !== 'RIFF' || textAt(view, 8) !== 'WAVE') return null
  let at = HEADER_BYTES
  while (at + CHUNK_HEAD_BYTES <= view.byteLength) {
    const length = view.getUint32(at + 4, true)
    if (textAt(view, at) === name) return { at: at + CHUNK_HEAD_BYTES, length }
    at += CHUNK_HEAD_BYTES + length + (length % 2)
  }
  return null
}

const textAt = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
