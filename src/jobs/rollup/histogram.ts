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
  // How many jobs there are up to each bucket, itself included.
  const upTo: number[] = []
  let total = 0
  for (const pair of pairs) {
    total += pair % PAIR
    upTo.push(total)
  }
  if (total === 0) return null
  const at = (rank: number): number => middleOf(Math.floor((pairs[upTo.findIndex((jobs) => rank < jobs)] ?? 0) / PAIR))
  // Between two neighbours, as percentile_cont has it.
  const percentile = (share: number): number => {
    const rank = share * (total - 1)
    const low = at(Math.floor(rank))
    return low + (at(Math.ceil(rank)) - low) * (rank - Math.floor(rank))
  }
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
}

/** Geometric; of bucket 0, which holds what took no time, 0. */
const middleOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 0.5) / BUCKETS_PER_DOUBLING))
