import { type CustomTypesConfig, types } from 'pg'
import { timestampTypes } from '../../db/parse-timestamp.ts'

/** As in the function job_histogram_sum: a bucket holds fewer than 10^12 jobs. */
const DIGITS = 12
/** A pair is bucket * 2^40 + jobs. */
const PAIR = 2 ** 40
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
