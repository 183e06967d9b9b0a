import library, {
  type FilterIOSettings,
  type Frame,
  type LibAVSync,
  type LibAV as Library,
} from '@libav.js/variant-default'
import aacLibrary from '@libav.js/variant-mediarecorder-transcoder'

const MONO = 4
const AUDIO = 1

/** Synchronous, in the calling thread. */
export type LibAV = Library & LibAVSync

const ready: LibAV[] = []

export const openLibav = openOnce(() => library)

/** With AAC and MPEG-4, but without filters and the other formats. */
export const openAacLibav = openOnce(() => aacLibrary)

function openOnce(of: () => typeof library): () => Promise<LibAV> {
  let opened: Promise<LibAV> | undefined
  const open = async (): Promise<LibAV> => {
    const libav = await of().LibAV({ noworker: true })
    libav.av_log_set_level_sync(libav.AV_LOG_QUIET)
    ready.push(libav)
    return libav
  }
  return () => {
    opened ??= open()
    return opened
  }
}

export const libavBytes = (): number =>
  ready.reduce((sum, libav) => sum + ((libav as { HEAPU8?: Uint8Array }).HEAPU8?.byteLength ?? 0), 0)

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
