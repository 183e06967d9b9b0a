import { expect, test } from 'vitest'
import { noted, notedSince } from '../../../src/console/webhooks/noted-changes.ts'

test('an answer takes the place of what was noted before its question, and of nothing that was noted later', () => {
  const before = noted(
    new Map(),
    new Map([
      ['a', 'pending'],
      ['b', 'pending'],
    ]),
    1,
  )
  const all = noted(before, new Map([['b', 'failed']]), 3)
  const rows = [...notedSince(all, 2)].map(([id, { row }]) => [id, row])
  expect([rows, notedSince(all, 4).size]).toEqual([[['b', 'failed']], 0])
})

test('of what is noted the newest two thousand are kept, a row once', () => {
  const changed = (from: number, to: number) =>
    new Map(Array.from({ length: to - from }, (_, n) => [`row ${from + n}`, 'pending'] as const))
  const once = noted(new Map(), changed(0, 1500), 1)
  const again = noted(once, changed(0, 500), 2)
  expect(again.size).toBe(1500)
  const all = noted(again, changed(1500, 2400), 3)
  expect([all.size, all.has('row 899'), all.has('row 900'), all.has('row 0')]).toEqual([2000, false, true, true])
})
