/** Half a frame; a frame holds two periods of the deepest voice. */
const HOP_MS = 15
/** One period of the deepest voice, to align waves. */
const REACH_MS = 9
const COARSE = 4

/** Makes speech `factor` times as fast at the same pitch (WSOLA). Sample `n` moves to about `n / factor`. Pure. */
export function stretch(samples: Int16Array, sampleRate: number, factor: number): Int16Array {
  const hop = Math.round((HOP_MS * sampleRate) / 1000)
  const reach = Math.round((REACH_MS * sampleRate) / 1000)
  const first = reach + hop
  const stretched = new Int16Array(Math.round(samples.length / factor))
  const padded = new Int16Array(first + samples.length + reach + 3 * hop)
  padded.set(samples, first)
  const last = padded.length - 2 * hop - reach
  const fade = fadeIn(hop)
  let before = first
  for (let start = 0; start < stretched.length; start += hop) {
    // The middle of a frame keeps its time.
    const wanted = Math.min(last, first - hop + Math.round((start + hop) * factor))
    const at = start === 0 ? first : bestPlace(padded, before, { wanted, reach, hop })
    const end = Math.min(hop, stretched.length - start)
    for (let i = 0; i < end; i++) {
      const old = padded[before + i]!
      stretched[start + i] = Math.round(old + (padded[at + i]! - old) * fade[i]!)
    }
    before = at + hop
  }
  return stretched
}

function bestPlace(
  samples: Int16Array,
  before: number,
  { wanted, reach, hop }: { readonly wanted: number; readonly reach: number; readonly hop: number },
): number {
  const best = (from: number, to: number, step: number) => {
    let [found, most] = [wanted, 0]
    for (let at = from; at <= to; at += step) {
      const likeness = likenessOf(samples, before, at, hop, step)
      if (likeness > most) [found, most] = [at, likeness]
    }
    return found
  }
  const near = best(Math.max(0, wanted - reach), wanted + reach, COARSE)
  return best(Math.max(0, near - COARSE), near + COARSE, 1)
}

function likenessOf(samples: Int16Array, one: number, other: number, length: number, step: number): number {
  let [product, energy] = [0, 1]
  for (let i = 0; i < length; i += step) {
    const sample = samples[other + i]!
    product += samples[one + i]! * sample
    energy += sample * sample
  }
  return product / Math.sqrt(energy)
}

/** Half of a Hann window: it and its mirror image add up to one. */
const fadeIn = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / length))
