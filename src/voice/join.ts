import { BadAudio } from '../engines/engine.ts'
import { applyGain } from './apply-gain.ts'
import type { Pause } from './split.ts'
import { type Wav, writeWav } from './wav.ts'

/** What is left of the silence at the edges of a chunk. */
const EDGE_SILENCE_MS = 60
/** And at the very end: players cut the last word off without it. */
const TAIL_SILENCE_MS = 100
/** Hides that two chunks do not meet at zero. */
const FADE_MS = 10
/** Besides the silence at the edges. */
const PAUSE_MS: Readonly<Record<Pause, number>> = { paragraph: 600, sentence: 300, clause: 120, none: 0 }
/** About -48 dB: engines leave noise where they are silent. */
const SILENT_PEAK = 128

/** A rendered chunk and what follows it in the text; a chunk with nothing to say has no audio. */
export interface RenderedChunk {
  readonly audio: Wav | null
  readonly pause: Pause
}

/**
 * Chunks as one recording: silence at their edges shortened to 60 ms (100 ms at the end), 10 ms fades, pauses by punctuation. A single
 * chunk stays as the engine spoke it. All is multiplied by `gain`, peaks within -1 dBTP. @throws BadAudio when the sample rates differ
 */
export function joinChunks(chunks: readonly RenderedChunk[], gain = 1): Wav {
  const audios = chunks.flatMap(({ audio }) => (audio === null ? [] : [audio]))
  const [first] = audios
  if (first === undefined) throw new BadAudio('No part of the text was spoken.')
  if (chunks.length === 1) return withGain(first, gain)
  const { sampleRate } = first
  if (audios.some((audio) => audio.sampleRate !== sampleRate))
    throw new BadAudio('The sample rate changes in the middle.')
  const parts = chunks.flatMap(({ audio, pause }, index) => [
    ...(audio === null ? [] : [trimmed(audio, index === chunks.length - 1)]),
    index === chunks.length - 1 ? 0 : toSamples(PAUSE_MS[pause], sampleRate),
  ])
  const total = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : part.length), 0)
  const samples = new Int16Array(total)
  let at = 0
  for (const part of parts) {
    if (typeof part !== 'number') {
      samples.set(part, at)
      fade(samples.subarray(at, at + part.length), sampleRate)
    }
    at += typeof part === 'number' ? part : part.length
  }
  return withGain({ sampleRate, channels: 1, samples }, gain)
}

const withGain = (wav: Wav, gain: number): Wav =>
  gain === 1 ? wav : { ...wav, samples: applyGain(wav.samples, wav.sampleRate, gain) }

/** A WAV file with a correct header, whatever the engine's said. */
export const toFile = (wav: Wav): Uint8Array<ArrayBuffer> => writeWav(wav.samples, wav.sampleRate)

const toSamples = (ms: number, sampleRate: number): number => Math.round((ms * sampleRate) / 1000)

/** A view without most of the silence at both ends. */
function trimmed({ samples, sampleRate }: Wav, isLast: boolean): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) >= SILENT_PEAK
  const first = samples.findIndex(isLoud)
  if (first < 0) return samples.subarray(0, 0)
  const last = samples.findLastIndex(isLoud)
  const edge = toSamples(EDGE_SILENCE_MS, sampleRate)
  const tail = isLast ? toSamples(TAIL_SILENCE_MS, sampleRate) : edge
  return samples.subarray(Math.max(0, first - edge), Math.min(samples.length, last + 1 + tail))
}

function fade(samples: Int16Array, sampleRate: number): void {
  const length = Math.min(toSamples(FADE_MS, sampleRate), Math.floor(samples.length / 2))
  for (let at = 0; at < length; at++) {
    const gain = at / length
    const mirror = samples.length - 1 - at
    samples[at] = Math.round(samples[at]! * gain)
    samples[mirror] = Math.round(samples[mirror]! * gain)
  }
}
