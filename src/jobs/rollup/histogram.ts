/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Eight buckets to a doubling, as the function job_bucket has them: the middle of one is within 4.5 % of whatever is in it. */
const BUCKETS_PER_DOUBLING = 8
/** A bucket and its number of jobs are one number: bucket * 2^40 + jobs. */
const PAIR = 2 ** 40

/**
 * Percentiles of a histogram, each within 4.5 % of the exact one. Null for an empty one.
 * @param pairs in the order of their buckets, each bucket once
 */
export function percentilesOf(pairs: readonly number[]): Percentiles | null {
  let total = 0
  for (const pair of pairs) total += jobsIn(pair)
  if (total === 0) return null
  const percentile = (share: number): number => valueAt(pairs, share * (total - 1))
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
}

/** The durations of a histogram added up, in milliseconds, within 4.5 %. @param pairs as those of `percentilesOf` */
export const totalOf = (pairs: readonly number[]): number =>
  pairs.reduce((sum, pair) => sum + middleOf(bucketOf(pair)) * jobsIn(pair), 0)

/** Two histograms as one, in the order of their buckets. */
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

/** Between two neighbours, as percentile_cont has it. @param rank from 0 on, a fraction between two jobs */
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
// In a fraction of the time that `%` takes with numbers of this size.
const jobsIn = (pair: number): number => pair - bucketOf(pair) * PAIR

/** Geometric; of bucket 0, which holds what took no time, 0. */
const middleOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING))
