const HEADER_BYTES = 44
const MAX = 32_767
/** A voice has nothing above it, and 30 seconds of more are too large for the service. */
const MAX_RATE = 96_000

/** A mono WAV file of 16 bits. @param samples from -1 to 1 */
export function wavFile(samples: Float32Array, sampleRate: number, name: string): File {
  if (sampleRate > MAX_RATE) return wavFile(halved(samples), sampleRate / 2, name)
  const bytes = samples.length * 2
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + bytes))
  const text = (at: number, value: string): void => {
    for (const [place, letter] of [...value].entries()) view.setUint8(at + place, letter.charCodeAt(0))
  }
  text(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + bytes, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, bytes, true)
  for (const [place, sample] of samples.entries())
    view.setInt16(HEADER_BYTES + place * 2, Math.round(Math.max(-1, Math.min(1, sample)) * MAX), true)
  return new File([view.buffer], name, { type: 'audio/wav' })
}

const halved = (samples: Float32Array): Float32Array =>
  Float32Array.from({ length: samples.length >> 1 }, (_, at) => (samples[2 * at]! + samples[2 * at + 1]!) / 2)
