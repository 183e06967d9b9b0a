import { type CustomTypesConfig, types } from 'pg'
import { timestampTypes } from '../../db/parse-timestamp.ts'

/** How many digits the jobs of a bucket have in a sum, as the function job_histogram_sum has them: a bucket holds fewer than 10^12 jobs. */
const DIGITS = 12
/** A bucket and its number of jobs are one number: bucket * 2^40 + jobs. */
const PAIR = 2 ** 40
/** PostgreSQL keeps four digits of a numeric together, so a bucket's are three of its own. */
const BASE = 10_000
const PLACES = 3
const SCALES = [1, BASE, BASE * BASE] as const
/** In 16 bits each: how many of those follow, the place of the first, its sign, and digits behind the point, of which there are none. */
const HEAD_BYTES = 8
const WEIGHT_AT = 2
const SIGN_AT = 4
/** How PostgreSQL writes bytes, unless a role or a database has `bytea_output = escape`. */
const HEX = '\\x'

// A histogram is one number, in which the jobs of each bucket have digits of their own: sums of such numbers are histograms.

/** Some jobs in one bucket, as SQL of type numeric; zero where there is no bucket. @param jobs may be negative */
export const sumOfBucket = (bucket: string, jobs: string): string =>
  `coalesce((${jobs} || 'e' || ${DIGITS} * ${bucket})::numeric, 0)`

/** What `pairsOf` reads, as SQL of type bytea: an eighth of the text, which is mostly zeros. @param sum numeric */
export const packedSum = (sum: string): string => `numeric_send(${sum})`

/**
 * For a statement whose only columns of type bytea are packed sums: they are read as they come, while PostgreSQL makes the next ones.
 * @param read what is kept of a histogram
 */
export const histogramTypes = <Kept>(read: (pairs: number[]) => Kept): CustomTypesConfig => ({
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.BYTEA
      ? (text: string) => read(pairsOf(bytesOf(text)))
      : timestampTypes.getTypeParser(oid, format as 'text')) as CustomTypesConfig['getTypeParser'],
})

const bytesOf = (text: string): Buffer =>
  text.startsWith(HEX) ? Buffer.from(text.slice(HEX.length), 'hex') : types.getTypeParser(types.builtins.BYTEA)(text)

/** A histogram as `percentilesOf` reads it: pairs in the order of their buckets. Empty for zero, and for what is no histogram. */
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
