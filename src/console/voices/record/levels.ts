const FRAME_SECONDS = 0.02
/** Silence: 16 bits hold nothing that is quieter. */
const FLOOR_DB = -96

/** An amplitude from 0 to 1 in decibels below full scale. */
export const decibels = (amplitude: number): number => Math.max(FLOOR_DB, 20 * Math.log10(amplitude))

/** The loudness of each 20 ms in decibels. */
export function levelsOf(samples: Float32Array, sampleRate: number): number[] {
  const length = Math.max(1, Math.round(FRAME_SECONDS * sampleRate))
  return Array.from({ length: Math.floor(samples.length / length) }, (_, place) =>
    decibels(effective(samples.subarray(place * length, (place + 1) * length))),
  )
}

/** The root mean square. */
const effective = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

/** @param share 0.1: a tenth of the values is lower */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? FLOOR_DB
}

export type Loudness = 'silent' | 'quiet' | 'good' | 'loud'

/** Between words nothing is heard for a moment: a level is judged over this time. */
export const JUDGED_SECONDS = 2
const LOUD_DB = -1
const QUIET_DB = -26
const SILENT_DB = -46

/** Judges the highest amplitude of the last two seconds, from 0 to 1. */
export function loudnessOf(peak: number): Loudness {
  const level = decibels(peak)
  if (level > LOUD_DB) return 'loud'
  if (level > QUIET_DB) return 'good'
  return level > SILENT_DB ? 'quiet' : 'silent'
}

export const LOUDNESS_WORDS: Readonly<Record<Loudness, string>> = {
  silent: 'Nothing is heard: say something',
  quiet: 'Too quiet: move closer',
  good: 'Good',
  loud: 'Too loud: move away',
}
