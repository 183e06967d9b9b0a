import library, {
  type FilterIOSettings,
  type Frame,
  type LibAVSync,
  type LibAV as Library,
} from '@libav.js/variant-default'

const MONO = 4
const AUDIO = 1

/** Synchronous, in the calling thread. */
export type LibAV = Library & LibAVSync

let opened: Promise<LibAV> | undefined
let ready: LibAV | undefined

export function openLibav(): Promise<LibAV> {
  opened ??= library.LibAV({ noworker: true }).then((libav) => {
    libav.av_log_set_level_sync(libav.AV_LOG_QUIET)
    ready = libav
    return libav
  })
  return opened
}

export const libavBytes = (): number => (ready as { HEAPU8?: Uint8Array } | undefined)?.HEAPU8?.byteLength ?? 0

/** @param frameSize 0 or absent: any */
export const monoAt = (sampleRate: number, sampleFormat: number, frameSize = 0): FilterIOSettings => ({
  type: AUDIO,
  sample_rate: sampleRate,
  sample_fmt: sampleFormat,
  channel_layout: MONO,
  time_base: [1, sampleRate],
  ...(frameSize > 0 && { frame_size: frameSize }),
})

export const frameOf = (libav: LibAV, samples: Int16Array, sampleRate: number, position: number): Frame => ({
  data: samples,
  format: libav.AV_SAMPLE_FMT_S16,
  sample_rate: sampleRate,
  channel_layout: MONO,
  channels: 1,
  nb_samples: samples.length,
  pts: position,
  ptshi: 0,
  time_base_num: 1,
  time_base_den: sampleRate,
})
