import type { Frame, LibAV } from '@libav.js/variant-default'
import { type Encoding, type EncodingOptions, joinBytes, type Patch } from './encoding.ts'
import { announceLength } from './flac-length.ts'
import { frameOf, monoAt, openLibav } from './libav.ts'

const OPUS = { rate: 24_000, bitrate: 32_000, options: { compression_level: '5' } }

let files = 0

export async function encodeWithLibav(options: EncodingOptions): Promise<Encoding> {
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
      ctx: isOpus ? { ...ctx, bit_rate: OPUS.bitrate } : ctx,
      time_base: [1, rate],
      ...(isOpus && { options: OPUS.options }),
    })
    const from = monoAt(options.sampleRate, libav.AV_SAMPLE_FMT_S16)
    this.#codec = [context, frame, packet]
    this.#filter = libav.ff_init_filter_graph_sync('anull', from, monoAt(rate, format, frameSize))
    // libav.js makes the device file itself because of `device`.
    const file = { format_name: isOpus ? 'ogg' : 'flac', filename: this.#name, device: true, open: true } as const
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

  #filtered(samples: Int16Array, isLast: boolean): readonly Frame[] {
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
