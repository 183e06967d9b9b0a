import { describe, expect, test } from 'vitest'
import { inParallel } from '../../src/concurrency/in-parallel.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Work that ends, item by item, when the test says so. */
function opened(items: readonly string[], most: number) {
  const begun = new Map<string, PromiseWithResolvers<string>>()
  const all = inParallel(items, most, (item) => {
    const work = Promise.withResolvers<string>()
    begun.set(item, work)
    return work.promise
  })
  return { begun, all, names: () => [...begun.keys()] }
}

describe('inParallel', () => {
  test('begins the next item when one ends, and returns the results in the order of the items', async () => {
    const { begun, all, names } = opened(['a', 'b', 'c'], 2)
    expect(names()).toEqual(['a', 'b'])
    begun.get('b')!.resolve('B')
    await turn()
    expect(names()).toEqual(['a', 'b', 'c'])
    for (const item of ['c', 'a']) begun.get(item)!.resolve(item.toUpperCase())
    expect(await all).toEqual(['A', 'B', 'C'])
  })

  test('begins nothing after a failure, and rejects with it when the others have ended', async () => {
    const { begun, all, names } = opened(['a', 'b', 'c'], 2)
    let settled = false
    const outcome = all.catch((error: Error) => error.message).finally(() => (settled = true))
    begun.get('a')!.reject(new Error('first'))
    await turn()
    expect([names(), settled]).toEqual([['a', 'b'], false])
    begun.get('b')!.reject(new Error('second'))
    expect(await outcome).toBe('first')
  })

  test('returns at once if there are no items', async () => {
    expect(await inParallel([], 2, () => Promise.reject(new Error('never')))).toEqual([])
  })
})
