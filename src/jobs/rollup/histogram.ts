/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** As in the function job_bucket; the middle is within 4.5 %. */
const BUCKETS_PER_DOUBLING = 8
/** A pair is bucket * 2^40 + jobs. */
const PAIR = 2 ** 40

/**
 * Percentiles within 4.5 %; null for an empty histogram.
 * @param pairs ordered, one per bucket
 */
export function percentilesOf(pairs: readonly number[]): Percentiles | null {
  let total = 0
  for (const pair of pairs) total += jobsIn(pair)
  if (total === 0) return null
  const percentile = (share: number): number => valueAt(pairs, share * (total - 1))
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
}

/** Sum of durations in milliseconds, within 4.5 %. */
export const totalOf = (pairs: readonly number[]): number =>
  pairs.reduce((sum, pair) => sum + middleOf(bucketOf(pair)) * jobsIn(pair), 0)

export function merged(one: readonly number[], other: readonly number[]): readonly number[] {
  const pairs: number[] = []
  let at = 0
  for (const pair of one) {
    for (; bucketOf(other[at] ?? Infinity) < bucketOf(pair); at++) pairs.push(other[at] ?? 0)
    const isInBoth = bucketOf(other[at] ?? Infinity) === bucketOf(pair)
    pairs.push(isInBoth ? pair + jobsIn(other[at++] ?? 0) : pair)
  }
  return [...pairs, ...other.slice(at)]
}

/**
 * Interpolates as percentile_cont does.
 * @param rank from 0, may be fractional
 */
function valueAt(pairs: readonly number[], rank: number): number {
  const first = Math.floor(rank)
  let upTo = 0
  const at = pairs.findIndex((pair) => {
    upTo += jobsIn(pair)
    return first < upTo
  })
  const value = middleOf(bucketOf(pairs[at] ?? 0))
  if (first === rank || first + 1 < upTo) return value
  return value + (middleOf(bucketOf(pairs[at + 1] ?? 0)) - value) * (rank - first)
}

const bucketOf = (pair: number): number => Math.floor(pair / PAIR)
const jobsIn = (pair: number): number => pair - bucketOf(pair) * PAIR

const middleOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING))
