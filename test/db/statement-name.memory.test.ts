import { expect, test } from 'vitest'
import { statementName } from '../../src/db/sql.ts'
import { heapGrowth } from '../setup/load/heap-growth.ts'

test('names of statements are remembered in bounded memory, however many texts there are', async () => {
  const text = (n: number) => `select ${n}, '${'x'.repeat(1000)}'`
  const names = new Set<string>()
  const grown = await heapGrowth(() => {
    for (let n = 0; n < 20_000; n++)
      if (n % 1000 === 0) names.add(statementName('read', text(n)))
      else statementName('read', text(n))
  })
  expect(names.size).toBe(20)
  expect(statementName('read', text(19_999))).toBe(statementName('read', text(19_999)))
  // All of them would take ten times as much.
  expect(grown).toBeLessThan(3 * 2 ** 20)
})
