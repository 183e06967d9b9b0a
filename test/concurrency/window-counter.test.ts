import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WindowCounter } from '../../src/concurrency/window-counter.ts'

const MINUTE_MS = 60_000

test('counts within the window that begins with the first', async () => {
  const counter = new WindowCounter({ windowMs: 1000, maxKeys: 3 })
  expect([counter.add('a').count, counter.add('a').count, counter.add('b').count]).toEqual([1, 2, 1])
  counter.takeBack('a')
  expect(counter.get('a').count).toBe(1)
  counter.takeBack('a')
  expect([counter.get('a'), counter.size]).toEqual([{ count: 0, msLeft: 0 }, 1])
  await wait(1100)
  expect(counter.get('b')).toEqual({ count: 0, msLeft: 0 })
})

test('keeps the keys that were counted last', () => {
  const counter = new WindowCounter({ windowMs: MINUTE_MS, maxKeys: 1000 })
  for (let nth = 0; nth < 5000; nth++) counter.add(`key ${nth}`)
  expect([counter.size, counter.get('key 3999').count, counter.get('key 4000').count]).toEqual([1000, 0, 1])
})

test('takes memory for the keys that there are, not for the most that may be', () => {
  const before = process.memoryUsage().heapUsed
  const counters = Array.from({ length: 50 }, () => new WindowCounter({ windowMs: MINUTE_MS, maxKeys: 1_000_000 }))
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
  expect(counters[0]?.add('a').count).toBe(1)
})
