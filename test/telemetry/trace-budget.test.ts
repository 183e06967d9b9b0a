import { expect, test } from 'vitest'
import { MAX_TRACES_PER_SECOND, traceBudget } from '../../src/telemetry/trace-budget.ts'

test('every trace may begin while there are few, and so many a second where there are more', () => {
  let nowMs = 0
  const admits = traceBudget(() => nowMs)
  const begunOf = (count: number) => Array.from({ length: count }, () => admits()).filter(Boolean).length
  expect(begunOf(MAX_TRACES_PER_SECOND)).toBe(MAX_TRACES_PER_SECOND)
  expect(begunOf(1000)).toBe(0)
  nowMs += 100
  expect(begunOf(1000)).toBe(MAX_TRACES_PER_SECOND / 10)
  nowMs += 3_600_000
  expect(begunOf(10_000)).toBe(MAX_TRACES_PER_SECOND)
})
