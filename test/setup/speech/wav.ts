/** Reads a canonical 16-bit WAV; throws when the bytes are anything else. */
export const readWav = (bytes: Buffer) => {
  if (!/^RIFF.{4}WAVEfmt /s.test(bytes.toString('latin1', 0, 16))) throw new Error('no WAV')
  const [format, channels, bits] = [20, 22, 34].map((at) => bytes.readUInt16LE(at)) as [number, number, number]
  const rate = bytes.readUInt32LE(24)
  const data = bytes.indexOf('data', 12, 'latin1')
  const size = bytes.readUInt32LE(data + 4)
  let peak = 0
  for (let at = data + 8; at + 1 < bytes.length; at += 2) peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)))
  const whole = bytes.readUInt32LE(4) === bytes.length - 8 && data + 8 + size === bytes.length
  return { format, channels, rate, bits, peak, whole, durationMs: (size / (rate * channels * (bits / 8))) * 1000 }
}
