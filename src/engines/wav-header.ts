export const WAV_HEADER_BYTES = 44

const PCM = 1
const MONO = 1
const BYTES_PER_SAMPLE = 2

/** Writes the header of a WAV file (PCM 16-bit mono) into the first 44 bytes of `file`, whose other bytes are the samples. */
export function writeWavHeader(file: Uint8Array, sampleRate: number): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const ascii = (offset: number, text: string) => new TextEncoder().encodeInto(text, file.subarray(offset))
  ascii(0, 'RIFF')
  view.setUint32(4, file.byteLength - 8, true)
  ascii(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, MONO, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * BYTES_PER_SAMPLE, true)
  view.setUint16(32, BYTES_PER_SAMPLE, true)
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true)
  ascii(36, 'data')
  view.setUint32(40, file.byteLength - WAV_HEADER_BYTES, true)
}

/** Servers that stream write 0 for a size that they do not know yet, or, less their headers, the most there can be: no answer is that long. */
const isPlaceholder = (size: number): boolean => size === 0 || size >= 0x7fff0000

/** Writes the true sizes over the placeholders of a streamed WAV file, in place; anything else stays as it is. */
export function mendWavSizes(file: Uint8Array): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.length < WAV_HEADER_BYTES || tag(file, 0) !== 'RIFF' || tag(file, 8) !== 'WAVE') return
  for (let at = 12; at + 8 <= file.length; ) {
    const size = view.getUint32(at + 4, true)
    if (tag(file, at) === 'data') {
      const isUnknown = isPlaceholder(size)
      if (isUnknown) view.setUint32(at + 4, (file.length - at - 8) & ~1, true)
      if (isUnknown || isPlaceholder(view.getUint32(4, true))) view.setUint32(4, file.length - 8, true)
      return
    }
    at += 8 + size + (size % 2)
  }
}

const tag = (file: Uint8Array, at: number): string => String.fromCharCode(...file.subarray(at, at + 4))
