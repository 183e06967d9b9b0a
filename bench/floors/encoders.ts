import library, { type LibAV, type LibAVSync } from '@libav.js/variant-default'
import { createMp3Encoder } from 'wasm-media-encoders'

type Encode = (samples: Int16Array) => void

/** The libraries alone, with the settings of the service: a whole recording in one call, its bytes thrown away. */
export async function openEncoders(rate: 22_050): Promise<Record<'mp3' | 'opus' | 'flac', Encode>> {
  const lame = await createMp3Encoder()
  const libav = await library.LibAV({ noworker: true })
  libav.av_log_set_level_sync(libav.AV_LOG_QUIET)
  return {
    mp3: (samples) => {
      const floats = new Float32Array(samples.length)
      for (let at = 0; at < samples.length; at++) floats[at] = samples[at]! / 32_768
      lame.configure({ sampleRate: rate, channels: 1, bitrate: 64, outputSampleRate: rate })
      lame.encode([floats])
      lame.finalize()
    },
    opus: (samples) => encode(libav, 'libopus', 24_000, libav.AV_SAMPLE_FMT_FLT, samples, rate),
    flac: (samples) => encode(libav, 'flac', rate, libav.AV_SAMPLE_FMT_S16, samples, rate),
  }
}

function encode(
  libav: LibAV & LibAVSync,
  codec: string,
  rate: number,
  format: number,
  samples: Int16Array,
  from: number,
): void {
  const mono = { channel_layout: 4, channels: 1 }
  const [, context, frame, packet, frameSize] = libav.ff_init_encoder_sync(codec, {
    ctx: { ...mono, sample_rate: rate, sample_fmt: format, ...(codec === 'libopus' && { bit_rate: 32_000 }) },
    time_base: [1, rate],
    ...(codec === 'libopus' && { options: { compression_level: '5' } }),
  })
  const source = { type: 1, sample_rate: from, sample_fmt: libav.AV_SAMPLE_FMT_S16, channel_layout: 4 } as const
  const sink = { type: 1, sample_rate: rate, sample_fmt: format, channel_layout: 4, frame_size: frameSize } as const
  const [graph, into, outOf] = libav.ff_init_filter_graph_sync(
    'anull',
    { ...source, time_base: [1, from] },
    { ...sink, time_base: [1, rate] },
  )
  const whole = {
    ...mono,
    data: samples,
    format: libav.AV_SAMPLE_FMT_S16,
    sample_rate: from,
    nb_samples: samples.length,
  }
  const input = { ...whole, pts: 0, ptshi: 0, time_base_num: 1, time_base_den: from }
  libav.ff_encode_multi_sync(
    context,
    frame,
    packet,
    libav.ff_filter_multi_sync(into, outOf, frame, [input], true),
    true,
  )
  libav.ff_free_encoder_sync(context, frame, packet)
  libav.avfilter_graph_free_js_sync(graph)
}
