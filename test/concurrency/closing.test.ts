import { pino } from 'pino'
import { expect, test } from 'vitest'
import { closeInTurn } from '../../src/concurrency/closing.ts'

test('what fails or hangs keeps nothing else open, is named in the log, and is waited for no longer than the limit', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line).what) })
  const closed: string[] = []
  const parts = {
    first: async () => void closed.push('first'),
    hanging: () => new Promise(() => undefined),
    failing: () => Promise.reject(new Error('it is broken')),
    throwing: () => {
      throw new Error('at once')
    },
    failed: async () => false,
    last: async () => void closed.push('last'),
  }
  const closers = Object.entries(parts).map(([what, close]) => ({ what, close }))
  const start = performance.now()
  expect(await closeInTurn(closers, 50, log)).toBe(false)
  expect(performance.now() - start).toBeLessThan(20_000)
  expect([closed, lines]).toEqual([
    ['last', 'first'],
    ['throwing', 'failing', 'hanging'],
  ])
  expect(await closeInTurn([{ what: 'it', close: async () => undefined }], 50, log)).toBe(true)
})
