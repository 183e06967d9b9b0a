import { expect, test } from 'vitest'
import { noted, notedSince } from '../../../../src/console/api/socket/noted-changes.ts'

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
