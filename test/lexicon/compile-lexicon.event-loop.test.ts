import { expect, test } from 'vitest'
import { compileLexicon } from '../../src/lexicon/compile-lexicon.ts'
import { leastCpu } from '../setup/load/abuses.ts'

const MAX_CPU_MS = 500
const MAX_BYTES = 40 * 1024 ** 2
/** Signs that are two characters each once they are taken apart. */
const SIGNS = Array.from('≠≮≯≰≱⊄')
const madeOf = (signs: readonly string[], length: number, nth: number): string =>
  Array.from({ length }, (_, at) => signs[Math.floor(nth / signs.length ** (at % 6)) % signs.length]).join('')

test('the largest lexicon of signs takes little time and memory: an entry costs its length once', async () => {
  const entries = Array.from({ length: 10_000 }, (_, nth) => ({ grapheme: madeOf(SIGNS, 100, nth), alias: 'x' }))
  const before = process.memoryUsage().heapUsed
  const { result, cpuMs } = await leastCpu(() => compileLexicon(entries), MAX_CPU_MS)
  expect(cpuMs).toBeLessThan(MAX_CPU_MS)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(3 * MAX_BYTES)
  expect(result.bytes).toBeLessThan(MAX_BYTES)
  const text = entries
    .map(({ grapheme }) => grapheme)
    .slice(0, 100)
    .join(' ')
  expect(result.find(text, undefined)).toHaveLength(100)
})

test('a text in which every place begins like an entry is gone through in little time', async () => {
  const entries = Array.from({ length: 99 }, (_, length) => ({ grapheme: `${'!'.repeat(length + 1)}?`, alias: 'x' }))
  const lexicon = await compileLexicon(entries)
  const find = async () => lexicon.find('!'.repeat(10_000), undefined)
  const { result, cpuMs } = await leastCpu(find, MAX_CPU_MS)
  expect([result.length, cpuMs < MAX_CPU_MS]).toEqual([0, true])
})
