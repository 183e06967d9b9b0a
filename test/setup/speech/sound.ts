import type { Wav } from '../../../src/audio/wav.ts'

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
  let best = { score: -1, lateSeconds: 0 }
  for (let late = -rate / 10; late <= rate / 10; late++) {
    const score = correlation(a, b, late)
    if (score > best.score) best = { score, lateSeconds: late / rate }
  }
  return best
}

function correlation(a: Float32Array, b: Float32Array, late: number): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let at = Math.max(0, -late); at < a.length && at + late < b.length; at++) {
    const [x, y] = [a[at]!, b[at + late]!]
    ab += x * y
    aa += x * x
    bb += y * y
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb)
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
