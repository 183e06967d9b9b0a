/** What of an encoder's first samples was never given to it, besides what decoders add of themselves. */
const DELAY = 576
/** At least so much silence is behind the last sample: a frame sounds whole with the half of the next one. */
const LEAST_PADDING = 576
const NAME = 'LAME3.100'

/** How frames of 64 kbit/s and one channel are made at each rate: version 1 from 32 kHz on, else 2. */
const KINDS: Readonly<Record<number, { readonly header: number; readonly bytes: number }>> = {
  16000: { header: 0xfff388c4, bytes: 288 },
  22050: { header: 0xfff380c4, bytes: 208 },
  24000: { header: 0xfff384c4, bytes: 192 },
  32000: { header: 0xfffb58c4, bytes: 288 },
  44100: { header: 0xfffb50c4, bytes: 208 },
  48000: { header: 0xfffb54c4, bytes: 192 },
}

/**
 * The first frame of an MP3 file of 64 kbit/s and one channel, which is silent and says how many follow and how much of them is delay and
 * padding: decoders then leave that out, and the file lasts as long as its samples.
 * @param sampleRate one of the format's from 16 kHz on
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
  // Of what may come now the number of frames alone.
  at = frame.writeUInt32BE(1, at)
  at = frame.writeUInt32BE(frames, at)
  frame.write(NAME, at)
  // Constant bit rate, and the rate itself.
  frame[at + 9] = 1
  frame[at + 20] = 64
  frame.writeUIntBE(DELAY * 4096 + padding, at + 21, 3)
  return frame
}
