import { MPEGDecoder } from 'mpg123-decoder'
import { concatenated } from './concatenated.ts'
import { openLibav } from './libav.ts'
import { toPlainWav } from './plain-wav.ts'
import { toMono } from './resample.ts'
import type { Wav } from './wav.ts'

/** Nothing behind it is decoded: a small file may hold hours. */
const MOST_SECONDS = 120
/** So little at a time that what it grows to fits into memory, however well it was packed. */
const PACKET_BYTES = 512
const MP3_BYTES = 8192
const MIN_RATE = 8000
const MAX_RATE = 192_000
const NAME = 'recording'

/** A file that an account has sent, of whatever kind, as 16-bit mono at its own rate; of a very long one the beginning. @throws Error where it cannot be read */
export async function readRecording(bytes: Uint8Array): Promise<Wav> {
  const { sampleRate, blocks } = isMp3(bytes) ? await readMp3(bytes) : await readWithLibav(toPlainWav(bytes))
  const samples = concatenated(blocks)
  if (samples.length === 0) throw new Error('There is no sound in this file.')
  return { sampleRate, channels: 1, samples }
}

/** Samples as they are read; their rate has to stay what it was at first. */
class Blocks {
  readonly blocks: Int16Array[] = []
  sampleRate = 0
  #length = 0

  /** Whether there is room for more. */
  add(samples: Int16Array, sampleRate: number): boolean {
    if (samples.length === 0) return true
    if (sampleRate < MIN_RATE || sampleRate > MAX_RATE) throw new Error(`The sample rate is ${sampleRate}.`)
    if (this.sampleRate !== 0 && this.sampleRate !== sampleRate) throw new Error('The sample rate changes.')
    this.sampleRate = sampleRate
    this.blocks.push(samples)
    this.#length += samples.length
    return this.#length < MOST_SECONDS * sampleRate
  }
}

/** An ID3 tag, or the first frame of layer III: AAC begins alike, as layer 0. */
const isMp3 = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  (first === 0x49 && second === 0x44 && third === 0x33) || (first === 0xff && (second & 0xe6) === 0xe2)

async function readMp3(bytes: Uint8Array): Promise<Blocks> {
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  const read = new Blocks()
  try {
    for (let at = 0; at < bytes.length; at += MP3_BYTES) {
      const { channelData, sampleRate, samplesDecoded } = decoder.decode(bytes.subarray(at, at + MP3_BYTES))
      const [left = new Float32Array(0), right = left] = channelData
      const samples = new Int16Array(samplesDecoded)
      for (let i = 0; i < samples.length; i++) samples[i] = toSample((left[i]! + right[i]!) / 2)
      if (!read.add(samples, sampleRate)) break
    }
    return read
  } finally {
    decoder.free()
  }
}

const toSample = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)))

async function readWithLibav(bytes: Uint8Array): Promise<Blocks> {
  const libav = await openLibav()
  libav.writeFile_sync(NAME, bytes)
  const [context, streams] = await libav.ff_init_demuxer_file(NAME)
  const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO)
  if (stream === undefined) throw new Error('There is no sound in this file.')
  const [, codec, packet, frame] = libav.ff_init_decoder_sync(stream.codec_id, stream.codecpar)
  const read = new Blocks()
  for (let isMore = true; isMore; ) {
    const [status, packets] = await libav.ff_read_frame_multi(context, packet, { limit: PACKET_BYTES })
    isMore = status === -libav.EAGAIN
    const own = packets[stream.index] ?? []
    const frames = libav.ff_decode_multi_sync(codec, packet, frame, own, { fin: !isMore, ignoreErrors: true })
    if (!read.add(toMono(libav, frames), frames[0]?.sample_rate ?? 0)) break
  }
  return read
}
