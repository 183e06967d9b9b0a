export const NORMAL_LUFS = -19

const BLOCK_SECONDS = 0.4
const STEPS_PER_BLOCK = 4
/** BS.1770: the loudness of a mean square of 1. */
const OFFSET_DB = -0.691
const ABSOLUTE_GATE_LUFS = -70
const RELATIVE_GATE_DB = -10
const MOST_LIMITED = 10 ** (6 / 20)
const HIGHEST_GAIN = 10
export const FULL_SCALE = 32_768
/** Slightly below -1 dBTP, because players and encoders round differently. */
export const HIGHEST_PEAK = 10 ** (-1.2 / 20)

const PHASES = 4
const TAPS = 8
export const NEAR_PEAK = 0.6

export interface Loudness {
  /** Mean squares of K-weighted 400 ms blocks every 100 ms (ITU-R BS.1770-5); full scale is 1. */
  readonly blocks: readonly number[]
  /** Full scale is 1. */
  readonly truePeak: number
  /** In LUFS. */
  readonly target: number
}

type Biquad = readonly [b0: number, b1: number, b2: number, a1: number, a2: number]

export function measureLoudness(samples: Int16Array, sampleRate: number): Omit<Loudness, 'target'> {
  const step = Math.round((BLOCK_SECONDS / STEPS_PER_BLOCK) * sampleRate)
  const steps = energies(samples, sampleRate, step)
  return {
    blocks: overlapping(steps, Math.min(samples.length, STEPS_PER_BLOCK * step)),
    truePeak: truePeakOf(samples) / FULL_SCALE,
  }
}

/** Gated loudness in LUFS; -Infinity for silence. Pure. */
export function integratedLufs(blocks: readonly number[]): number {
  const loud = blocks.filter((block) => lufs(block) > ABSOLUTE_GATE_LUFS)
  const gate = lufs(mean(loud)) + RELATIVE_GATE_DB
  return lufs(mean(loud.filter((block) => lufs(block) > gate)))
}

/** The one factor that brings all parts to their target, bounded by the highest peak after limiting. Pure. */
export function gainOf(parts: readonly Loudness[]): number {
  const [first] = parts
  const measured = integratedLufs(parts.flatMap(({ blocks }) => blocks))
  if (first === undefined || measured === Number.NEGATIVE_INFINITY) return 1
  const peak = Math.max(...parts.map(({ truePeak }) => truePeak))
  return Math.min(10 ** ((first.target - measured) / 20), (MOST_LIMITED * HIGHEST_PEAK) / peak, HIGHEST_GAIN)
}

const lufs = (meanSquare: number): number => OFFSET_DB + 10 * Math.log10(meanSquare)

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

function energies(samples: Int16Array, sampleRate: number, step: number): number[] {
  const [s0, s1, s2, sa1, sa2] = shelf(sampleRate)
  const [h0, h1, h2, ha1, ha2] = highPass(sampleRate)
  const sums: number[] = []
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  for (let start = 0; start < samples.length; start += step) {
    const end = Math.min(samples.length, start + step)
    let sum = 0
    for (let at = start; at < end; at++) {
      const x = samples[at]!
      const y = s0 * x + x1
      x1 = s1 * x - sa1 * y + x2
      x2 = s2 * x - sa2 * y
      const z = h0 * y + y1
      y1 = h1 * y - ha1 * z + y2
      y2 = h2 * y - ha2 * z
      sum += z * z
    }
    sums.push(sum / FULL_SCALE ** 2)
  }
  return sums
}

function overlapping(steps: readonly number[], blockLength: number): number[] {
  const blocks: number[] = []
  for (let at = 0; at === 0 || at + STEPS_PER_BLOCK <= steps.length; at++) {
    const sum = steps.slice(at, at + STEPS_PER_BLOCK).reduce((total, energy) => total + energy, 0)
    blocks.push(blockLength === 0 ? 0 : sum / blockLength)
  }
  return blocks
}

function shelf(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 1681.974450955533) / sampleRate)
  const [q, high] = [0.7071752369554196, 10 ** (3.999843853973347 / 20)]
  const middle = high ** 0.4996667741545416
  const a0 = 1 + k / q + k * k
  return [
    (high + (middle * k) / q + k * k) / a0,
    (2 * (k * k - high)) / a0,
    (high - (middle * k) / q + k * k) / a0,
    (2 * (k * k - 1)) / a0,
    (1 - k / q + k * k) / a0,
  ]
}

function highPass(sampleRate: number): Biquad {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRate)
  const q = 0.5003270373238773
  const a0 = 1 + k / q + k * k
  return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0]
}

/** The highest value between or at samples, in units of samples. */
function truePeakOf(samples: Int16Array): number {
  const highest = peakOf(samples)
  const near = Math.ceil(highest * NEAR_PEAK)
  let peak = highest
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!
    if ((sample < near && sample > -near) || !isCrest(samples, at)) continue
    peak = Math.max(peak, peakNear(samples, at))
  }
  return peak
}

export function peakOf(samples: Int16Array): number {
  let peak = 0
  // An iterator takes ten times as long.
  for (let at = 0; at < samples.length; at++) peak = Math.max(peak, Math.abs(samples[at]!))
  return peak
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
