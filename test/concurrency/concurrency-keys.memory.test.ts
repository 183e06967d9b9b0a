import { expect, test } from 'vitest'
import { keysOf } from '../../src/concurrency/keyed-limiter.ts'
import { heapGrowth } from '../setup/load/heap-growth.ts'

test('keys are remembered in bounded memory, however many there are', async () => {
  const grown = await heapGrowth(() => {
    for (let n = 0; n < 200_000; n++) expect(keysOf(`acct_${n} https://${n}.example`).account).toBe(`a acct_${n}`)
  })
  // All of them would take ten times as much.
  expect(grown).toBeLessThan(8 * 2 ** 20)
})
