export const WAV_HEADER_BYTES = 44

const PCM = 1
const MONO = 1
const BYTES_PER_SAMPLE = 2

/** Writes into the first 44 bytes. */
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
