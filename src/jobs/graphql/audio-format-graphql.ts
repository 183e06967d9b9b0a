import type { AudioFormat } from '../../audio/format.ts'
import { describedEnum } from '../../graphql/described-enum.ts'

export const AudioFormatEnum = describedEnum<AudioFormat>('AudioFormat', 'A format of audio.', {
  wav: 'PCM of 16 bits in a WAV file.',
  mp3: 'MP3 of 64 kbit/s.',
  opus: 'Opus in an Ogg file.',
  flac: 'FLAC.',
  pcm: '16-bit little-endian mono at 24 kHz, without a header. No job is stored in it.',
})
