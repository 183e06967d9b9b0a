import type { Frame } from '@libav.js/variant-default'
import { concatenated } from './encoding.ts'
import { frameOf, type LibAV, monoAt, openLibav } from './libav.ts'
import type { Wav } from './wav.ts'

interface Resampler {
  /** With `isLast` all that remain. */
  push(samples: Int16Array, isLast: boolean): Int16Array
  close(): void
}

/** Rates in Hz. */
export async function resampleTo(to: number, from: number): Promise<Resampler> {
  const libav = await openLibav()
  const s16 = libav.AV_SAMPLE_FMT_S16
  const [graph, source, sink] = libav.ff_init_filter_graph_sync('anull', monoAt(from, s16), monoAt(to, s16))
  const frame = libav.av_frame_alloc_sync()
  let position = 0
  return {
    push: (samples, isLast) => {
      const frames = samples.length === 0 ? [] : [frameOf(libav, samples, from, position)]
      position += samples.length
      if (frames.length === 0 && !isLast) return new Int16Array(0)
      return samplesOf(libav.ff_filter_multi_sync(source, sink, frame, frames, isLast))
    },
    close: () => {
      libav.avfilter_graph_free_js_sync(graph)
      libav.av_frame_free_js_sync(frame)
    },
  }
}

export async function resampled(wav: Wav, sampleRate: number): Promise<Wav> {
  if (wav.sampleRate === sampleRate) return wav
  const resampler = await resampleTo(sampleRate, wav.sampleRate)
  try {
    return { sampleRate, channels: 1, samples: resampler.push(wav.samples, true) }
  } finally {
    resampler.close()
  }
}

export function toMono(libav: LibAV, frames: Frame[]): Int16Array {
  const [first] = frames
  if (first === undefined) return new Int16Array(0)
  const s16 = libav.AV_SAMPLE_FMT_S16
  const to = monoAt(first.sample_rate as number, s16)
  const from = { ...to, sample_fmt: first.format, channel_layout: layoutOf(first) }
  const [graph, source, sink] = libav.ff_init_filter_graph_sync('anull', from, to)
  const frame = libav.av_frame_alloc_sync()
  try {
    return samplesOf(libav.ff_filter_multi_sync(source, sink, frame, frames, true))
  } finally {
    libav.avfilter_graph_free_js_sync(graph)
    libav.av_frame_free_js_sync(frame)
  }
}

const layoutOf = ({ channel_layout: layout = 0, channels = 1 }: Frame): number =>
  layout !== 0 ? layout : channels === 1 ? 4 : 2 ** channels - 1

const samplesOf = (frames: readonly Frame[]): Int16Array =>
  concatenated(frames.map(({ data }) => (Array.isArray(data) ? data[0] : data)))
