import type { Wav } from '../../../src/audio/wav.ts'

const FRAME_SECONDS = 0.04
const LOWEST_HZ = 60
const HIGHEST_HZ = 420

/** The median fundamental frequency of the voiced frames, by autocorrelation, and the energy-weighted centre of the spectrum. */
export function measureVoice(wav: Wav): { readonly pitchHz: number; readonly centroidHz: number } {
  return { pitchHz: pitch(wav), centroidHz: centroid(wav) }
}

function pitch({ samples, sampleRate }: Wav): number {
  const length = Math.round(FRAME_SECONDS * sampleRate)
  const found: number[] = []
  const energies = energiesOf(samples)
  for (let start = 0; start + 2 * length <= samples.length; start += length) {
    const hz = framePitch({ samples, energies }, start, length, sampleRate)
    if (hz !== null) found.push(hz)
  }
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 0
}

interface Sound {
  readonly samples: Int16Array
  readonly energies: Float64Array
}

/** For each place, the sum of the squares of every second sample before it. */
function energiesOf(samples: Int16Array): Float64Array {
  const energies = new Float64Array(samples.length + 2)
  for (let at = 0; at < samples.length; at++) energies[at + 2] = energies[at]! + samples[at]! ** 2
  return energies
}

function framePitch({ samples, energies }: Sound, start: number, length: number, sampleRate: number): number | null {
  const energyFrom = (at: number) => energies[at + 2 * Math.ceil(length / 2)]! - energies[at]!
  const energy = energyFrom(start)
  if (energy / length < 200 ** 2) return null
  let best = 0
  let bestLag = 0
  const scores: number[] = []
  for (let lag = Math.floor(sampleRate / HIGHEST_HZ); lag <= sampleRate / LOWEST_HZ; lag++) {
    const score = correlate(samples, start, lag, length) / Math.sqrt(energy * energyFrom(start + lag))
    scores[lag] = score
    if (score > best) [best, bestLag] = [score, lag]
  }
  if (best < 0.6) return null
  // The first peak nearly as good as the best one: the best may be a multiple of the period.
  const first = scores.findIndex(
    (s, lag) => s > 0.9 * best && s >= (scores[lag - 1] ?? 0) && s >= (scores[lag + 1] ?? 0),
  )
  return sampleRate / (first > 0 ? first : bestLag)
}

function correlate(samples: Int16Array, start: number, lag: number, length: number): number {
  let sum = 0
  for (let i = start; i < start + length; i += 2) sum += samples[i]! * samples[i + lag]!
  return sum
}

/** Mean square of the derivative over mean square of the signal gives the spectrum's root-mean-square frequency. */
function centroid({ samples, sampleRate }: Wav): number {
  let power = 0
  let change = 0
  for (let i = 1; i < samples.length; i++) {
    power += samples[i]! ** 2
    change += (samples[i]! - samples[i - 1]!) ** 2
  }
  return power === 0 ? 0 : (sampleRate / Math.PI) * Math.asin(Math.min(1, Math.sqrt(change / power) / 2))
}
