import type { Frame } from '@libav.js/variant-default'
import { createMp3Encoder, type WasmMediaEncoder } from 'wasm-media-encoders'
import { nextTurn } from '../concurrency/next-turn.ts'
import { encodeG711 } from './encode-g711.ts'
import { encodeM4b } from './encode-m4b.ts'
import { encodeSamples, encodeWav } from './encode-wav.ts'
import { type Encoding, type EncodingOptions, floatsOf, joinBytes, type Patch } from './encoding.ts'
import { encoderRate, mp3Rate } from './format.ts'
import { frameOf, type LibAV, monoAt, openLibav } from './libav.ts'
import { resampleTo } from './resample.ts'

const OPUS = { rate: 24_000, bitrate: 32_000, options: { compression_level: '5' } }

let files = 0
/** STREAMINFO: rate, channels, bits, then 36 bits of samples. */
const PROPERTIES_AT = 18
const MAX_SAMPLES = 2 ** 36 - 1
const BITRATE = 64

const ENCODER_BYTES = 1.5 * 2 ** 20

const idle: Encoder[] = []
let made = 0
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

type Encoder = WasmMediaEncoder<'audio/mpeg'>

export async function startEncoding(options: EncodingOptions): Promise<Encoding> {
  const { totalSamples: _, ...untold } = options
  const { format, sampleRate, rate = encoderRate(format, sampleRate) } = options
  if (rate === sampleRate) return startFormat(options)
  const resampler = await resampleTo(rate, sampleRate)
  // The resampler decides the number of samples, so none is stated.
  const encoding = await startFormat({ ...untold, sampleRate: rate })
  return {
    patches: encoding.patches,
    push: (samples, isLast) => encoding.push(resampler.push(samples, isLast), isLast),
    close: () => {
      resampler.close()
      encoding.close()
    },
  }
}

async function startFormat(options: EncodingOptions): Promise<Encoding> {
  switch (options.format) {
    case 'wav':
      return encodeWav(options)
    case 'pcm':
      return encodeSamples()
    case 'ulaw':
    case 'alaw':
      return encodeG711(options.format)
    case 'mp3':
      return encodeMp3(options)
    case 'opus':
    case 'flac':
      return encodeWithLibav(options)
    case 'm4b':
      return encodeM4b(options)
  }
}

/** Other tasks of the thread run between two blocks. */
export async function encodeFile(
  samples: Int16Array,
  options: Omit<EncodingOptions, 'totalSamples'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = await startEncoding({ ...options, totalSamples: samples.length })
  try {
    const parts: Uint8Array[] = []
    for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
      parts.push(encoding.push(samples.subarray(at, at + BLOCK_SAMPLES), false))
      await nextTurn()
    }
    const file = joinBytes([...parts, encoding.push(new Int16Array(0), true)])
    for (const { at, bytes } of encoding.patches) file.set(bytes, at)
    return file
  } finally {
    encoding.close()
  }
}

const BLOCK_SAMPLES = 8192

async function encodeWithLibav(options: EncodingOptions): Promise<Encoding> {
  const libav = await openLibav()
  return new LibavEncoding(libav, options)
}

class LibavEncoding implements Encoding {
  readonly patches: Patch[] = []
  readonly #libav: LibAV
  readonly #options: EncodingOptions
  readonly #name = `out${++files}`
  readonly #written: Uint8Array[] = []
  readonly #codec: readonly [context: number, frame: number, packet: number]
  readonly #filter: readonly [graph: number, source: number, sink: number]
  readonly #muxer: readonly [context: number, io: number]
  #samples = 0
  #bytes = 0

  constructor(libav: LibAV, options: EncodingOptions) {
    this.#libav = libav
    this.#options = options
    const isOpus = options.format === 'opus'
    const rate = isOpus ? OPUS.rate : options.sampleRate
    const format = isOpus ? libav.AV_SAMPLE_FMT_FLT : libav.AV_SAMPLE_FMT_S16
    const ctx = { sample_rate: rate, sample_fmt: format, channel_layout: 4, channels: 1 }
    const [, context, frame, packet, frameSize] = libav.ff_init_encoder_sync(isOpus ? 'libopus' : 'flac', {
      ctx: isOpus ? { ...ctx, bit_rate: options.bitRate === undefined ? OPUS.bitrate : options.bitRate * 1000 } : ctx,
      time_base: [1, rate],
      ...(isOpus && { options: OPUS.options }),
    })
    const from = monoAt(options.sampleRate, libav.AV_SAMPLE_FMT_S16)
    this.#codec = [context, frame, packet]
    this.#filter = libav.ff_init_filter_graph_sync('anull', from, monoAt(rate, format, frameSize))
    // libav.js makes the device file itself because of `device`.
    const file = { format_name: isOpus ? 'ogg' : 'flac', filename: this.#name, device: true, open: true }
    const [muxer, , io] = libav.ff_init_muxer_sync(file, [[context, 1, rate]])
    this.#muxer = [muxer, io]
    this.#writing(() => libav.avformat_write_header_sync(muxer, 0))
  }

  push(samples: Int16Array, isLast: boolean): Uint8Array<ArrayBuffer> {
    const [context, frame, packet] = this.#codec
    const [muxer, io] = this.#muxer
    this.#writing(() => {
      const packets = this.#libav.ff_encode_multi_sync(context, frame, packet, this.#filtered(samples, isLast), isLast)
      if (packets.length > 0) this.#libav.ff_write_multi_sync(muxer, packet, packets)
      if (isLast) this.#libav.av_write_trailer_sync(muxer)
      this.#libav.avio_flush_sync(io)
    })
    return joinBytes(this.#written.splice(0))
  }

  close(): void {
    this.#libav.ff_free_muxer_sync(...this.#muxer)
    this.#libav.ff_free_encoder_sync(...this.#codec)
    this.#libav.avfilter_graph_free_js_sync(this.#filter[0])
    this.#libav.unlink_sync(this.#name)
  }

  #filtered(samples: Int16Array, isLast: boolean): Frame[] {
    const [, source, sink] = this.#filter
    const frames = samples.length === 0 ? [] : [frameOf(this.#libav, samples, this.#options.sampleRate, this.#samples)]
    this.#samples += samples.length
    if (frames.length === 0 && !isLast) return []
    return this.#libav.ff_filter_multi_sync(source, sink, this.#codec[1], frames, isLast)
  }

  #writing(write: () => void): void {
    this.#libav.onwrite = (_name, at, bytes) => this.#take(at, new Uint8Array(bytes))
    write()
    delete this.#libav.onwrite
  }

  /** FLAC rewrites its head at the end, after players may have it. */
  #take(at: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (at < this.#bytes) return void this.patches.push({ at, bytes })
    const { format, totalSamples } = this.#options
    if (at === 0 && format === 'flac' && totalSamples !== undefined) announceLength(bytes, totalSamples)
    this.#written.push(bytes)
    this.#bytes = at + bytes.length
  }
}

/** States the length in a FLAC head; a shorter head stays as it is. */
function announceLength(head: Uint8Array, totalSamples: number): void {
  if (head.length < PROPERTIES_AT + 8 || totalSamples > MAX_SAMPLES) return
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  view.setBigUint64(PROPERTIES_AT, view.getBigUint64(PROPERTIES_AT) | BigInt(totalSamples))
}

export const mp3Bytes = (): number => made * ENCODER_BYTES

/** With a known length the first frame lets players skip the encoder's delay. */
async function encodeMp3({ sampleRate, totalSamples, bitRate = BITRATE }: EncodingOptions): Promise<Encoding> {
  const encoder = idle.pop() ?? (await newEncoder())
  const outputSampleRate = mp3Rate(sampleRate)
  encoder.configure({ sampleRate, channels: 1, bitrate: bitRate, outputSampleRate })
  let isOpen = true
  const reuse = (): void => {
    if (isOpen) idle.push(encoder)
    isOpen = false
  }
  const isExact = totalSamples !== undefined && outputSampleRate === sampleRate && bitRate === BITRATE
  let info = isExact ? [mp3Info(sampleRate, totalSamples)] : []
  return {
    patches: [],
    push: (samples, isLast) => {
      const frames = info
      info = []
      if (samples.length > 0) frames.push(new Uint8Array(encoder.encode([floatsOf(samples)])))
      if (!isLast) return joinBytes(frames)
      frames.push(new Uint8Array(encoder.finalize()))
      return joinBytes(frames)
    },
    close: reuse,
  }
}

function newEncoder(): Promise<Encoder> {
  made++
  return createMp3Encoder()
}

/**
 * The silent first frame of an MP3 (64 kbit/s, mono): it states frames, delay and padding.
 * @param sampleRate from 16 kHz on
 */
function mp3Info(sampleRate: number, totalSamples: number): Uint8Array {
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
