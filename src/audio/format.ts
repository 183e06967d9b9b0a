import { WAV_HEADER_BYTES } from './wav-header.ts'

/** How audio leaves the service. `pcm` is 16-bit little-endian mono at 24 kHz, without a header. */
export const AUDIO_FORMATS = ['wav', 'mp3', 'opus', 'flac', 'pcm'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** Those that a job's file may be stored in. */
export const FILE_FORMATS = ['wav', 'mp3', 'opus', 'flac'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** What OpenAI's clients take `pcm` for, whatever the engine speaks. */
export const PCM_RATE = 24_000

/** The lower ones of MP3 would make its encoder's delay longer. */
const MP3_RATES = [16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** How many samples a second an MP3 has that is made of samples of another rate: as many, or MP3's next higher number. */
export const mp3Rate = (sampleRate: number): (typeof MP3_RATES)[number] =>
  MP3_RATES.find((rate) => rate >= sampleRate) ?? 48_000

/** How many samples a second a file has that is made of samples of another rate. */
export function rateOf(format: AudioFormat, sampleRate: number): number {
  if (format === 'pcm' || format === 'opus') return PCM_RATE
  return format === 'mp3' ? mp3Rate(sampleRate) : sampleRate
}

/** Media types as a stored file is served. */
export const FILE_TYPES: Readonly<Record<AudioFormat, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
}

export const isAudioFormat = (value: unknown): value is AudioFormat => AUDIO_FORMATS.some((format) => format === value)

/** The format that a stored file is in, by its media type; null for what is none of them. */
export const formatOfType = (contentType: string): FileFormat | null =>
  FILE_FORMATS.find((format) => FILE_TYPES[format] === contentType) ?? null

/** What stands in a WAV file for a size that is not known yet. */
export const UNKNOWN_SIZE = 0xffffffff
/** More cannot be said in 32 bits. */
export const MAX_WAV_SAMPLES = (UNKNOWN_SIZE - WAV_HEADER_BYTES) / 2

/** How many bytes so many samples are as a file, where that is known before they are encoded: WAV, and PCM that need not be resampled. */
export function knownLength(format: AudioFormat, sampleRate: number, samples: number): number | undefined {
  if (format === 'pcm' && sampleRate === PCM_RATE) return samples * 2
  return format === 'wav' && samples <= MAX_WAV_SAMPLES ? WAV_HEADER_BYTES + samples * 2 : undefined
}
