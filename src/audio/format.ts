import { UNKNOWN_SIZE, WAV_HEADER_BYTES } from './wav.ts'

/** Formats that are served. `pcm` is 16-bit little-endian mono at 24 kHz without header. */
export const AUDIO_FORMATS = ['wav', 'mp3', 'opus', 'flac', 'pcm'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** Formats that are stored, and so decoded as well. `m4b` is an MPEG-4 audiobook, which is only read as it is stored. */
export const FILE_FORMATS = ['wav', 'mp3', 'opus', 'flac', 'm4b'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** Formats of an endpoint that lists none. */
export const USUAL_FORMATS: readonly FileFormat[] = ['wav', 'mp3', 'opus', 'flac']

export type AnyFormat = AudioFormat | FileFormat

/** Formats of a transfer. `ulaw` and `alaw` are G.711 without header, for telephones. */
export type SoundFormat = AnyFormat | 'ulaw' | 'alaw'

/** Bit rates of MP3 and Opus that a transfer may ask for, in kbit/s. */
export type BitRate = 32 | 48 | 64 | 96 | 128 | 192

export const PCM_RATE = 24_000
const G711_RATE = 8000

const MP3_RATES = [16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
export const AAC_RATES: readonly number[] = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
export const CAPTION_FORMATS = ['vtt', 'srt', 'json'] as const
export type CaptionFormat = (typeof CAPTION_FORMATS)[number]

export const CAPTION_TYPES: Readonly<Record<CaptionFormat, string>> = {
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** The same rate or MP3's next higher one, in Hz. */
export const mp3Rate = (sampleRate: number): (typeof MP3_RATES)[number] =>
  MP3_RATES.find((rate) => rate >= sampleRate) ?? 48_000

/** The rate in Hz at which a format's encoder gets the samples. */
export function encoderRate(format: SoundFormat, sampleRate: number): number {
  if (format === 'ulaw' || format === 'alaw') return G711_RATE
  if (format === 'm4b') return AAC_RATES.find((rate) => rate >= sampleRate) ?? 48_000
  return format === 'pcm' ? PCM_RATE : sampleRate
}

/** In Hz. */
export function rateOf(format: AudioFormat, sampleRate: number): number {
  if (format === 'pcm' || format === 'opus') return PCM_RATE
  return format === 'mp3' ? mp3Rate(sampleRate) : sampleRate
}

export const FILE_TYPES: Readonly<Record<AnyFormat, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  m4b: 'audio/mp4',
  pcm: 'audio/pcm',
}

export const isAudioFormat = (value: unknown): value is AudioFormat => AUDIO_FORMATS.some((format) => format === value)

export const formatOfType = (contentType: string): FileFormat | null =>
  FILE_FORMATS.find((format) => FILE_TYPES[format] === contentType) ?? null

export const MAX_WAV_SAMPLES = (UNKNOWN_SIZE - WAV_HEADER_BYTES) / 2

/** In bytes, for WAV and PCM without resampling; else undefined. */
export function knownLength(format: SoundFormat, sampleRate: number, samples: number): number | undefined {
  if (format === 'pcm' && sampleRate === PCM_RATE) return samples * 2
  return format === 'wav' && samples <= MAX_WAV_SAMPLES ? WAV_HEADER_BYTES + samples * 2 : undefined
}

export const isCaptionFormat = (value: unknown): value is CaptionFormat =>
  CAPTION_FORMATS.some((format) => format === value)

export const captionOutput = (format: CaptionFormat): string => `captions_${format}`
