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
  const buckets = pairs.map((pair) => ({ bucket: Math.floor(pair / PAIR), jobs: pair % PAIR }))
  const total = buckets.reduce((sum, { jobs }) => sum + jobs, 0)
  if (total === 0) return null
  const at = (rank: number): number => {
    let before = 0
    const found = buckets.find(({ jobs }) => {
      before += jobs
      return rank < before
    })
    return middleOf(found?.bucket ?? 0)
  }
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
