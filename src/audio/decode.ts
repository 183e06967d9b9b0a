import { MPEGDecoder } from 'mpg123-decoder'
import type { FileFormat } from './format.ts'
import { openLibav } from './libav.ts'
import { toMono } from './resample.ts'
import { parseWav, type Wav } from './wav.ts'

const FULL_SCALE = 32_768

let files = 0

/** @throws Error if the bytes are not of that format */
export async function decode(bytes: Uint8Array, format: FileFormat): Promise<Wav> {
  if (format === 'wav') return parseWav(bytes)
  const wav = format === 'mp3' ? await decodeMp3(bytes) : await decodeWithLibav(bytes)
  if (wav.samples.length === 0) throw new Error('There is no sound in this file.')
  return wav
}

async function decodeMp3(bytes: Uint8Array): Promise<Wav> {
  const decoder = new MPEGDecoder({ enableGapless: true })
  await decoder.ready
  try {
    const { channelData, sampleRate, samplesDecoded } = decoder.decode(bytes)
    const [left = new Float32Array(0), right = left] = channelData
    const samples = new Int16Array(samplesDecoded)
    for (let at = 0; at < samples.length; at++) samples[at] = toSample((left[at]! + right[at]!) / 2)
    return { sampleRate, channels: 1, samples }
  } finally {
    decoder.free()
  }
}

const toSample = (value: number): number =>
  Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value * FULL_SCALE)))

async function decodeWithLibav(bytes: Uint8Array): Promise<Wav> {
  const libav = await openLibav()
  const name = `in${++files}`
  libav.writeFile_sync(name, bytes)
  let file: number | undefined
  try {
    const [context, streams] = await libav.ff_init_demuxer_file(name)
    file = context
    const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO)
    if (stream === undefined) throw new Error('There is no sound in this file.')
    const [, codec, packet, frame] = libav.ff_init_decoder_sync(stream.codec_id, stream.codecpar)
    try {
      const [, packets] = await libav.ff_read_frame_multi(context, packet)
      const frames = libav.ff_decode_multi_sync(codec, packet, frame, packets[stream.index] ?? [], { fin: true })
      return { sampleRate: frames[0]?.sample_rate ?? 0, channels: 1, samples: toMono(libav, frames) }
    } finally {
      libav.ff_free_decoder_sync(codec, packet, frame)
    }
  } finally {
    if (file !== undefined) libav.avformat_close_input_js_sync(file)
    libav.unlink_sync(name)
  }
}
