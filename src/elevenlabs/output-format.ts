import type { BitRate, SoundFormat } from '../audio/format.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'

/** A file as `output_format` names it: codec, rate in Hz and bit rate in kbit/s. */
export interface OutputFormat {
  readonly format: SoundFormat
  /** Absent: Opus, which always plays at 48 kHz. */
  readonly sampleRate?: number
  readonly bitRate?: BitRate
  readonly contentType: string
}

const USUAL_FORMAT = 'mp3_44100_128'
const RATES = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const MP3: readonly (readonly [rate: number, bitRate: BitRate])[] = [
  [22_050, 32],
  [24_000, 48],
  [44_100, 32],
  [44_100, 64],
  [44_100, 96],
  [44_100, 128],
  [44_100, 192],
]
const OPUS: readonly BitRate[] = [32, 64, 96, 128, 192]

const mp3 = { format: 'mp3', contentType: 'audio/mpeg' } as const
const opus = { format: 'opus', contentType: 'audio/opus' } as const
const pcm = { format: 'pcm', contentType: 'audio/pcm' } as const
const wav = { format: 'wav', contentType: 'audio/wav' } as const

const OUTPUT_FORMATS: ReadonlyMap<string, OutputFormat> = new Map<string, OutputFormat>([
  ...MP3.map(([sampleRate, bitRate]) => [`mp3_${sampleRate}_${bitRate}`, { ...mp3, sampleRate, bitRate }] as const),
  ...OPUS.map((bitRate) => [`opus_48000_${bitRate}`, { ...opus, bitRate }] as const),
  ...RATES.map((sampleRate) => [`pcm_${sampleRate}`, { ...pcm, sampleRate }] as const),
  ...RATES.map((sampleRate) => [`wav_${sampleRate}`, { ...wav, sampleRate }] as const),
  ['ulaw_8000', { format: 'ulaw', sampleRate: 8000, contentType: 'audio/basic' }],
  ['alaw_8000', { format: 'alaw', sampleRate: 8000, contentType: 'audio/x-alaw-basic' }],
])

/** @throws SpeechViolation */
export function requireOutputFormat(asked: unknown): OutputFormat {
  const name = asked === undefined || asked === '' ? USUAL_FORMAT : asked
  const found = typeof name === 'string' ? OUTPUT_FORMATS.get(name) : undefined
  if (found !== undefined) return found
  const names = [...OUTPUT_FORMATS.keys()].join(', ')
  throw new SpeechViolation('output_format', `Send output_format as one of ${names}.`)
}
