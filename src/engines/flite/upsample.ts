/** Zero crossings of the sinc on either side. */
const REACH = 10

/** Changes a sample rate to a higher one through a windowed sinc. Pure. @param from rates in Hz */
export function upsample(samples: Int16Array, from: number, to: number): Int16Array {
  const divisor = commonDivisor(from, to)
  const [step, phases] = [from / divisor, to / divisor]
  const tables = Array.from({ length: phases }, (_, phase) => weightsAt(phase / phases))
  const padded = new Float32Array(samples.length + 2 * REACH)
  padded.set(samples, REACH)
  const made = new Int16Array(Math.floor((samples.length * phases) / step))
  for (let at = 0; at < made.length; at++) {
    const place = at * step
    const weights = tables[place % phases]!
    const start = Math.floor(place / phases) + 1
    let sum = 0
    for (let tap = 0; tap < 2 * REACH; tap++) sum += padded[start + tap]! * weights[tap]!
    made[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
  }
  return made
}

const commonDivisor = (one: number, other: number): number => (other === 0 ? one : commonDivisor(other, one % other))

/** For the samples from `REACH - 1` before to `REACH` behind. */
const weightsAt = (fraction: number): Float32Array =>
  Float32Array.from({ length: 2 * REACH }, (_, tap) => {
    const distance = tap - REACH + 1 - fraction
    const sinc = distance === 0 ? 1 : Math.sin(Math.PI * distance) / (Math.PI * distance)
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / REACH))
  })
