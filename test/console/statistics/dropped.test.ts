import { expect, test } from 'vitest'
import { droppedOf } from '../../../src/console/statistics/dropped.ts'

test.each([
  [{}, []],
  [{ range: '7d', by: 'key' }, []],
  [{ from: '2026-11-01T00:00Z', to: '2026-11-02T00:00Z', range: 'ever' }, []],
  [{ from: '2026-11-01T00:00Z' }, ['from']],
  [{ from: 'then', to: '2026-11-02T00:00Z', range: '7d' }, ['from', 'to']],
  [{ range: 'constructor', by: 'colour' }, ['range', 'by']],
] as const)('of the address %j the page leaves out %j, and names it', (query, names) => {
  expect(droppedOf(query)).toEqual(names)
})
