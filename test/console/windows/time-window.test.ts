import { expect, test } from 'vitest'
import { rangeOf } from '../../../src/console/windows/time-window.ts'

const NOW = new Date(2026, 0, 15, 12, 0, 42).getTime()
const local = (year: number, month: number) => new Date(year, month, 1).toISOString()

test('a window is so many hours up to now, or a month of the calendar that the reader lives by', () => {
  expect([
    rangeOf('1h', NOW),
    rangeOf('this-month', NOW),
    rangeOf('last-month', NOW),
    rangeOf('2y', NOW),
    rangeOf('constructor', NOW),
    rangeOf(undefined, NOW),
  ]).toEqual([
    { from: new Date(2026, 0, 15, 11).toISOString() },
    { from: local(2026, 0) },
    { from: local(2025, 11), to: local(2026, 0) },
    null,
    null,
    null,
  ])
})
