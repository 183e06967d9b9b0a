import { expect, test } from 'vitest'
import { creditFilterOf } from '../../../src/console/credits/credit-filter.ts'

test('the ledger is filtered by a kind and a time; what an address names wrongly is left out and said', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  expect([
    creditFilterOf({ kind: 'refund', window: '1h' }, now),
    creditFilterOf({ kind: 'gift', window: '2y' }, now),
    creditFilterOf({ from: '2026-11-01T00:00:00+01:00', to: '2026-11-02T00:00:00Z' }, now),
    creditFilterOf({ from: '2026-11-01', to: 'soon' }, now),
    creditFilterOf({ from: '2026-11-01', window: '1h' }, now),
  ]).toEqual([
    { filter: { kinds: ['REFUND'], createdAt: { from: '2026-11-22T11:00:00.000Z' } }, dropped: [] },
    { filter: {}, dropped: ['kind', 'window'] },
    { filter: { createdAt: { from: '2026-10-31T23:00:00.000Z', to: '2026-11-02T00:00:00.000Z' } }, dropped: [] },
    { filter: { createdAt: { from: '2026-11-01T00:00:00.000Z' } }, dropped: ['to'] },
    { filter: { createdAt: { from: '2026-11-22T11:00:00.000Z' } }, dropped: [] },
  ])
})
