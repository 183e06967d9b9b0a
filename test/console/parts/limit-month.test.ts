import { expect, test } from 'vitest'
import { creditFilterOf } from '../../../src/console/credits/credit-filter.ts'
import { monthPath } from '../../../src/console/parts/limit-month.ts'

test('what used the limit is that of a month in UTC, in any time zone', () => {
  const now = Date.parse('2026-03-31T23:30:00Z')
  const path = monthPath(now)
  expect(path).toBe('/credits?from=2026-03-01T00:00:00.000Z')
  const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
  expect(creditFilterOf(query, now)).toEqual({
    filter: { createdAt: { from: '2026-03-01T00:00:00.000Z' } },
    dropped: [],
  })
})
