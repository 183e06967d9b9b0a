import type { Wav } from '../../../src/audio/wav.ts'

/** Shifts that are looked at from close by. */
const PEAKS = 8

/** A tone that rises and swells, so that no part of it is like another. */
export function sweep(seconds: number, sampleRate: number): Wav {
  const samples = new Int16Array(Math.round(seconds * sampleRate))
  for (let at = 0; at < samples.length; at++) {
    const time = at / sampleRate
    const phase = 2 * Math.PI * (250 * time + (600 * time * time) / (2 * Math.max(1, seconds)))
    samples[at] = Math.round(9000 * Math.sin(phase) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 3 * time)))
  }
  return { sampleRate, channels: 1, samples }
}

/** Bytes as 16-bit samples, in memory of their own. */
export const samplesOf = (bytes: Uint8Array): Int16Array => new Int16Array(Uint8Array.from(bytes).buffer)

/** How alike two recordings are at the best shift of up to 0.1 s, 1 being the same, and how late the second one is. */
export function similarity(one: Wav, other: Wav): { readonly score: number; readonly lateSeconds: number } {
  const rate = 8000
  const [a, b] = [atRate(one, rate), atRate(other, rate)]
  const energies = [energyUpTo(a), energyUpTo(b)] as const
  const at = (late: number) => ({ score: correlation(a, b, late, energies), lateSeconds: late / rate })
  const better = (x: { score: number }, y: { score: number }) => y.score - x.score
  // Neighbouring shifts are nearly as good, so every second one leads to the best.
  const most = rate / 10
  const coarse = Array.from({ length: most + 1 }, (_, index) => at(2 * index - most)).sort(better)
  const found = coarse.slice(0, PEAKS)
  return found
    .flatMap((one) => [one, ...[-1, 1].map((step) => at(Math.round(one.lateSeconds * rate) + step))])
    .sort(better)[0]!
}

function correlation(
  a: Float32Array,
  b: Float32Array,
  late: number,
  [energyOfA, energyOfB]: readonly [Float64Array, Float64Array],
): number {
  const [from, to] = [Math.max(0, -late), Math.min(a.length, b.length - late)]
  if (to <= from) return 0
  let ab = 0
  for (let at = from; at < to; at++) ab += a[at]! * b[at + late]!
  const aa = energyOfA[to]! - energyOfA[from]!
  const bb = energyOfB[to + late]! - energyOfB[from + late]!
  return aa <= 0 || bb <= 0 ? 0 : ab / Math.sqrt(aa * bb)
}

/** The sum of the squares of all samples before each one, and of all. */
function energyUpTo(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1)
  for (let at = 0; at < samples.length; at++) sums[at + 1] = sums[at]! + samples[at]! * samples[at]!
  return sums
}

/** Between neighbouring samples; good enough for tones far below the rate. */
function atRate({ samples, sampleRate }: Wav, rate: number): Float32Array {
  const made = new Float32Array(Math.floor((samples.length * rate) / sampleRate))
  for (let at = 0; at < made.length; at++) {
    const from = (at * sampleRate) / rate
    const [before, share] = [Math.floor(from), from % 1]
    made[at] = samples[before]! * (1 - share) + (samples[before + 1] ?? 0) * share
  }
  return made
}
