import { type CustomTypesConfig, types } from 'pg'
import { timestampTypes } from '../../db/database.ts'

/** As in the function job_bucket; the middle is within 4.5 %. */
const BUCKETS_PER_DOUBLING = 8
/** A pair is bucket * 2^40 + jobs. */
const PAIR = 2 ** 40
/** As in the function job_histogram_sum: a bucket holds fewer than 10^12 jobs. */
const DIGITS = 12
/** PostgreSQL stores numerics in groups of four decimal digits. */
const BASE = 10_000
const PLACES = 3
const SCALES = [1, BASE, BASE * BASE] as const
/** `numeric_send`: 16-bit digit count, weight, sign and scale. */
const HEAD_BYTES = 8
const WEIGHT_AT = 2
const SIGN_AT = 4
/** Unless `bytea_output` is `escape`. */
const HEX = '\\x'

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

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

// Each bucket has its own digits, so sums of numbers are sums of histograms.

/** @param jobs may be negative */
export const sumOfBucket = (bucket: string, jobs: string): string =>
  `coalesce((${jobs} || 'e' || ${DIGITS} * ${bucket})::numeric, 0)`

export const packedSum = (sum: string): string => `numeric_send(${sum})`

/** Parses packed sums of a statement without other bytea columns. */
export const histogramTypes = <Kept>(read: (pairs: number[]) => Kept): CustomTypesConfig => ({
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.BYTEA
      ? (text: string) => read(pairsOf(bytesOf(text)))
      : timestampTypes.getTypeParser(oid, format as 'text')) as CustomTypesConfig['getTypeParser'],
})

const bytesOf = (text: string): Buffer =>
  text.startsWith(HEX) ? Buffer.from(text.slice(HEX.length), 'hex') : types.getTypeParser(types.builtins.BYTEA)(text)

function pairsOf(packed: Buffer): number[] {
  const pairs: number[] = []
  if (packed.readUInt16BE(SIGN_AT) !== 0) return pairs
  const weight = packed.readInt16BE(WEIGHT_AT)
  let [bucket, jobs] = [0, 0]
  for (let at = packed.length - 2; at >= HEAD_BYTES; at -= 2) {
    const place = weight - (at - HEAD_BYTES) / 2
    const its = Math.floor(place / PLACES)
    if (its !== bucket) {
      if (jobs !== 0) pairs.push(bucket * PAIR + jobs)
      bucket = its
      jobs = 0
    }
    jobs += packed.readUInt16BE(at) * (SCALES[place % PLACES] ?? 0)
  }
  if (jobs !== 0) pairs.push(bucket * PAIR + jobs)
  return pairs
}
