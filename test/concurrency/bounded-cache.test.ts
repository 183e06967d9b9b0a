import { expect, test } from 'vitest'
import { BoundedCache } from '../../src/concurrency/bounded-cache.ts'
import { WindowCounter } from '../../src/concurrency/window-counter.ts'

// The throttle of signing in and the rate limit have their own: users/sign-in-throttle.test.ts.

test('the cache of documents stays bounded in number and in size, and takes no large one', () => {
  const cache = new BoundedCache<number>()
  const kept = (names: readonly string[]) => names.filter((name) => cache.get(name) !== undefined).length
  const small = Array.from({ length: 10_000 }, (_, index) => `{ a${index} }`)
  for (const [index, name] of small.entries()) cache.set(name, index)
  expect(kept(small)).toBe(256)
  const large = Array.from({ length: 1000 }, (_, index) => `{ a${index} }`.padEnd(16_000))
  for (const [index, name] of large.entries()) cache.set(name, index)
  expect(kept(large)).toBe(Math.floor(2 ** 20 / 16_000))
  cache.set('x'.repeat(20_000), 1)
  expect(cache.get('x'.repeat(20_000))).toBeUndefined()
})

test('a counter of windows forgets the key that was counted longest ago, and every key once its window is over', async () => {
  const counter = new WindowCounter({ windowMs: 60_000, maxKeys: 100 })
  for (let n = 0; n < 1000; n++) counter.add(`key ${n}`)
  expect([counter.size, counter.get('key 0').count, counter.get('key 999').count]).toEqual([100, 0, 1])
  counter.add('key 999')
  counter.takeBack('key 999')
  expect(counter.get('key 999')).toMatchObject({ count: 1 })
  counter.forget('key 999')
  expect(counter.size).toBe(99)
  const short = new WindowCounter({ windowMs: 5, maxKeys: 100 })
  short.add('a')
  await expect.poll(() => short.get('a')).toEqual({ count: 0, msLeft: 0 })
})
