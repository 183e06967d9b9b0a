export const FULL_SCALE = 32_768
/** Slightly below -1 dBTP, because players and encoders round differently. */
export const HIGHEST_PEAK = 10 ** (-1.2 / 20)

const PHASES = 4
const TAPS = 8
export const NEAR_PEAK = 0.6

/** The highest value between or at samples, in units of samples. */
export function truePeakOf(samples: Int16Array): number {
  const highest = highestOf(samples)
  const near = Math.ceil(highest * NEAR_PEAK)
  let peak = highest
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!
    if ((sample < near && sample > -near) || !isCrest(samples, at)) continue
    peak = Math.max(peak, peakNear(samples, at))
  }
  return peak
}

function highestOf(samples: Int16Array): number {
  let most = 0
  let least = 0
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!
    if (sample > most) most = sample
    else if (sample < least) least = sample
  }
  return Math.max(most, -least)
}

function isCrest(samples: Int16Array, at: number): boolean {
  const height = Math.abs(samples[at]!)
  return height >= Math.abs(samples[at - 1] ?? 0) && height >= Math.abs(samples[at + 1] ?? 0)
}

export function peakNear(samples: Int16Array, at: number): number {
  let peak = Math.abs(samples[at]!)
  for (let phase = 1; phase < PHASES; phase++) {
    peak = Math.max(peak, Math.abs(between(samples, at, phase)), Math.abs(between(samples, at - 1, phase)))
  }
  return peak
}

function between(samples: Int16Array, at: number, phase: number): number {
  const weights = WEIGHTS[phase]!
  let value = 0
  for (let tap = 0; tap < weights.length; tap++) value += (samples[at + tap - TAPS + 1] ?? 0) * weights[tap]!
  return value
}

/** A sinc under a Hann window, for each quarter of a sample. */
const WEIGHTS = Array.from({ length: PHASES }, (_, phase) =>
  Array.from({ length: 2 * TAPS }, (_, tap) => {
    const distance = tap - TAPS + 1 - phase / PHASES
    const sinc = distance === 0 ? 1 : Math.sin(Math.PI * distance) / (Math.PI * distance)
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / TAPS))
  }),
)
