/** The encoder's delay without the decoders' own. */
const DELAY = 576
const LEAST_PADDING = 576
const NAME = 'LAME3.100'

const KINDS: Readonly<Record<number, { readonly header: number; readonly bytes: number }>> = {
  16000: { header: 0xfff388c4, bytes: 288 },
  22050: { header: 0xfff380c4, bytes: 208 },
  24000: { header: 0xfff384c4, bytes: 192 },
  32000: { header: 0xfffb58c4, bytes: 288 },
  44100: { header: 0xfffb50c4, bytes: 208 },
  48000: { header: 0xfffb54c4, bytes: 192 },
}

/**
 * The silent first frame of an MP3 (64 kbit/s, mono): it states frames, delay and padding.
 * @param sampleRate from 16 kHz on
 */
export function mp3Info(sampleRate: number, totalSamples: number): Uint8Array {
  const { header, bytes } = KINDS[sampleRate]!
  const isVersion1 = sampleRate >= 32_000
  const perFrame = isVersion1 ? 1152 : 576
  const frames = Math.ceil((totalSamples + DELAY + LEAST_PADDING) / perFrame)
  const padding = frames * perFrame - totalSamples - DELAY
  const frame = Buffer.alloc(bytes)
  frame.writeUInt32BE(header, 0)
  let at = 4 + (isVersion1 ? 17 : 9)
  at += frame.write('Info', at)
  at = frame.writeUInt32BE(1, at)
  at = frame.writeUInt32BE(frames, at)
  frame.write(NAME, at)
  frame[at + 9] = 1
  frame[at + 20] = 64
  frame.writeUIntBE(DELAY * 4096 + padding, at + 21, 3)
  return frame
}
