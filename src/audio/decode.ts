import type { Frame } from '@libav.js/variant-default'
import { MPEGDecoder } from 'mpg123-decoder'
import { concatenated } from './encoding.ts'
import type { FileFormat } from './format.ts'
import { type LibAV, openAacLibav, openLibav } from './libav.ts'
import { toMono } from './resample.ts'
import type { Wav } from './wav.ts'

export const NO_SOUND = 'There is no sound in this file.'
const FULL_SCALE = 32_768

/** Bounds the memory of decoded frames. */
const PACKED_BYTES = 65_536

let files = 0

/** @throws Error if the bytes are not of that format */
export async function decode(bytes: Uint8Array, format: FileFormat): Promise<Wav> {
  const { samples, sampleRate } = await decodeFormat(bytes, format)
  if (samples.length === 0) throw new Error(NO_SOUND)
  return { sampleRate, channels: 1, samples }
}

function decodeFormat(bytes: Uint8Array, format: FileFormat): Promise<Decoded> {
  if (format === 'mp3') return decodeMp3(bytes)
  return format === 'm4b' ? decodeM4b(bytes) : withLibav(bytes, (read) => read())
}

async function decodeMp3(bytes: Uint8Array): Promise<Decoded> {
  const decoder = new MPEGDecoder({ enableGapless: true })
  await decoder.ready
  try {
    const decoded = decoder.decode(bytes)
    return { sampleRate: decoded.sampleRate, samples: mixedDown(decoded) }
  } finally {
    decoder.free()
  }
}

interface Channels {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
}

export function mixedDown({ channelData, samplesDecoded }: Channels): Int16Array {
  const samples = new Int16Array(samplesDecoded)
  for (let at = 0; at < samples.length; at++) {
    let sum = 0
    for (const channel of channelData) sum += channel[at]!
    samples[at] = toSample(sum / channelData.length)
  }
  return samples
}

const toSample = (value: number): number =>
  Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value * FULL_SCALE)))

interface Decoded {
  readonly samples: Int16Array
  /** 0 if there are no samples. */
  readonly sampleRate: number
}

/** Reads on, up to `limit` packed bytes; with a limit it passes over what is broken. */
type Read = (limit?: number) => Promise<Decoded & { readonly isMore: boolean }>

interface Library {
  readonly open: () => Promise<LibAV>
  readonly mono: (libav: LibAV, frames: Frame[]) => Int16Array
}

const USUAL: Library = { open: openLibav, mono: toMono }
/** It has no filters, but its frames have one format. */
const AAC: Library = {
  open: openAacLibav,
  mono: (_, frames) =>
    concatenated(
      frames.map(({ data, nb_samples: count = 0 }) => mixedDown({ channelData: data, samplesDecoded: count })),
    ),
}

/** The file states its length, because its last frame may be longer. */
const decodeM4b = (bytes: Uint8Array): Promise<Decoded> =>
  withLibav(
    bytes,
    async (read, seconds) => {
      const parts = [await read(PACKED_BYTES)]
      while (parts.at(-1)?.isMore === true) parts.push(await read(PACKED_BYTES))
      const sampleRate = parts[0]?.sampleRate ?? 0
      const length = seconds > 0 ? Math.round(seconds * sampleRate) : undefined
      return { sampleRate, samples: concatenated(parts.map(({ samples }) => samples)).subarray(0, length) }
    },
    AAC,
  )

/** Passes `work` the reader of a file's first sound, and the length that the file states. @throws Error if there is none */
export async function withLibav<Result>(
  bytes: Uint8Array,
  work: (read: Read, seconds: number) => Promise<Result>,
  { open, mono } = USUAL,
): Promise<Result> {
  const libav = await open()
  const name = `in${++files}`
  libav.writeFile_sync(name, bytes)
  let file: number | undefined
  try {
    const [context, streams] = await libav.ff_init_demuxer_file(name)
    file = context
    const stream = streams.find(({ codec_type: type }) => type === libav.AVMEDIA_TYPE_AUDIO)
    if (stream === undefined) throw new Error(NO_SOUND)
    const [, codec, packet, frame] = libav.ff_init_decoder_sync(stream.codec_id, stream.codecpar)
    const read: Read = async (limit) => {
      const [status, packets] = await libav.ff_read_multi(context, packet, null, limit === undefined ? {} : { limit })
      const isMore = status === -libav.EAGAIN
      const options = { fin: !isMore, ignoreErrors: limit !== undefined }
      const frames = libav.ff_decode_multi_sync(codec, packet, frame, packets[stream.index] ?? [], options)
      return { samples: mono(libav, frames), sampleRate: frames[0]?.sample_rate ?? 0, isMore }
    }
    return await work(read, stream.duration).finally(() => libav.ff_free_decoder_sync(codec, packet, frame))
  } finally {
    if (file !== undefined) libav.avformat_close_input_js_sync(file)
    libav.unlink_sync(name)
  }
}
