import { expect, test } from 'vitest'
import { creditFilterOf } from '../../../src/console/credits/credit-filter.ts'

test('usage and ledger are of whole days up to now unless the address says another time; what it names wrongly is left out and said', () => {
  const now = new Date(2026, 10, 22, 12).getTime()
  const midnight = (month: number, day: number) => new Date(2026, month, day).toISOString()
  const month = { createdAt: { from: midnight(9, 24) } }
  expect([
    creditFilterOf({ kind: 'refund', window: '7d' }, now),
    creditFilterOf({ kind: 'gift', window: '2y' }, now),
    creditFilterOf({ from: '2026-11-01T00:00:00+01:00', to: '2026-11-02T00:00:00Z' }, now),
    creditFilterOf({ from: '2026-11-01', to: 'soon' }, now),
    creditFilterOf({ from: '2026-11-01', window: 'last-month' }, now),
    creditFilterOf({ window: '1h' }, now),
  ]).toEqual([
    { filter: { kinds: ['REFUND'], createdAt: { from: midnight(10, 16) } }, dropped: [] },
    { filter: month, dropped: ['kind', 'window'] },
    { filter: { createdAt: { from: '2026-10-31T23:00:00.000Z', to: '2026-11-02T00:00:00.000Z' } }, dropped: [] },
    { filter: { createdAt: { from: '2026-11-01T00:00:00.000Z' } }, dropped: ['to'] },
    { filter: { createdAt: { from: midnight(9, 1), to: midnight(10, 1) } }, dropped: [] },
    { filter: { createdAt: { from: new Date(now - 3_600_000).toISOString() } }, dropped: [] },
  ])
})
