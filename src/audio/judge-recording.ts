import type { Wav } from './wav.ts'

/** Without silence at both ends. */
const MIN_SECONDS = 1
const MAX_SECONDS = 30
/** About -48 dB, room tone. */
const QUIET = 128
const EDGE_SECONDS = 0.1
/** About -40 dB. */
const SILENT_PEAK = 328
const FULL = 32_764
const CLIPPED_SECONDS = 0.0001
const LEAST_CLIPPED_RUN = 3
const CLIPPED_SHARE = 0.005
/** Compression ripples a clipped wave. */
const NEARLY_FULL = 0.97 * 32_768
const NEARLY_FULL_SHARE = 0.2

export type Judgement = { readonly wav: Wav } | { readonly violation: string }

/** Judges whether a recording can become a voice. Pure. */
export function judgeRecording({ samples, sampleRate }: Wav): Judgement {
  const isLoud = (sample: number) => Math.abs(sample) >= QUIET
  const first = samples.findIndex(isLoud)
  if (first < 0) return { violation: 'is silent' }
  const last = samples.findLastIndex(isLoud) + 1
  const voiced = samples.subarray(first, last)
  if (!voiced.some((sample) => Math.abs(sample) >= SILENT_PEAK)) return { violation: 'is silent' }
  const room = Math.max(0, MAX_SECONDS * sampleRate - voiced.length)
  const edge = Math.floor(Math.min(EDGE_SECONDS * sampleRate, room / 2))
  const kept = samples.slice(Math.max(0, first - edge), last + edge)
  const seconds = Math.max(kept.length, voiced.length) / sampleRate
  if (seconds < MIN_SECONDS || voiced.length > MAX_SECONDS * sampleRate) return { violation: lengthViolation(seconds) }
  if (isClipped(voiced, sampleRate)) return { violation: 'is clipped: record it again at a lower level' }
  return { wav: { sampleRate, channels: 1, samples: kept } }
}

const lengthViolation = (seconds: number): string =>
  `must last ${MIN_SECONDS} to ${MAX_SECONDS} seconds without the silence at its ends: it lasts ${
    seconds > 2 * MAX_SECONDS ? 'longer' : seconds.toFixed(1)
  }`

function isClipped(samples: Int16Array, sampleRate: number): boolean {
  const shortest = Math.max(LEAST_CLIPPED_RUN, Math.round(CLIPPED_SECONDS * sampleRate))
  let [clipped, nearly, run] = [0, 0, 0]
  for (const sample of samples) {
    const level = Math.abs(sample)
    if (level >= NEARLY_FULL) nearly++
    if (level >= FULL) run++
    else {
      if (run >= shortest) clipped += run
      run = 0
    }
  }
  if (run >= shortest) clipped += run
  return clipped > CLIPPED_SHARE * samples.length || nearly > NEARLY_FULL_SHARE * samples.length
}
