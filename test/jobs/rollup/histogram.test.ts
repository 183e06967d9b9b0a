import { expect, test } from 'vitest'
import { merged, percentilesOf, totalOf } from '../../../src/jobs/rollup/histogram.ts'

const PAIR = 2 ** 40
const histogram = (...buckets: readonly (readonly [bucket: number, jobs: number])[]) =>
  buckets.map(([bucket, jobs]) => bucket * PAIR + jobs)
const middle = (bucket: number) => 2 ** ((bucket - 0.5) / 8)

test('percentiles lie between the middles of the buckets of both neighbours', () => {
  expect(percentilesOf([])).toBeNull()
  expect(percentilesOf(histogram([0, 7]))).toEqual({ p50: 0, p95: 0, p99: 0 })
  const p50 = (middle(40) + middle(80)) / 2
  const high = (share: number) => middle(80) + (middle(81) - middle(80)) * (share * 3 - 2)
  expect(percentilesOf(histogram([40, 2], [80, 1], [81, 1]))).toEqual({
    p50: expect.closeTo(p50),
    p95: expect.closeTo(high(0.95)),
    p99: expect.closeTo(high(0.99)),
  })
})

test('durations add up as the middles of their buckets', () => {
  expect([totalOf([]), totalOf(histogram([0, 7], [40, 2], [80, 3]))]).toEqual([0, 2 * middle(40) + 3 * middle(80)])
})

test('two histograms are one of the jobs of both, in the order of their buckets', () => {
  const [one, other] = [histogram([0, 1], [5, 2 ** 39], [9, 4]), histogram([3, 7], [5, 2 ** 38], [12, 1], [13, 2])]
  const both = histogram([0, 1], [3, 7], [5, 2 ** 39 + 2 ** 38], [9, 4], [12, 1], [13, 2])
  expect(merged(one, other)).toEqual(both)
  expect(merged(other, one)).toEqual(both)
  expect(merged([], other)).toEqual(other)
  expect(merged(one, [])).toEqual(one)
})
