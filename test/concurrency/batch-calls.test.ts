import { describe, expect, test } from 'vitest'
import { BatchedCalls } from '../../src/concurrency/batch-calls.ts'

/** Batches as they were worked, each held until it is let through. */
function held(maxItems: number) {
  const batches: { readonly items: readonly number[]; readonly done: PromiseWithResolvers<void> }[] = []
  const calls = new BatchedCalls(maxItems, async (items: readonly number[]) => {
    const done = Promise.withResolvers<void>()
    batches.push({ items, done })
    await done.promise
    return items.map((item) => item * 10)
  })
  const begun = (count: number) => expect.poll(() => batches.length).toBe(count)
  return { calls, batches, begun }
}

describe('batched calls', () => {
  test('of one turn go out together, and those that come meanwhile make up the next batches', async () => {
    const { calls, batches, begun } = held(3)
    const first = [1, 2].map((item) => calls.call(item))
    await begun(1)
    const later = [3, 4, 5, 6].map((item) => calls.call(item))
    batches[0]!.done.resolve()
    expect(await Promise.all(first)).toEqual([10, 20])
    await begun(2)
    batches[1]!.done.resolve()
    await begun(3)
    batches[2]!.done.resolve()
    expect(await Promise.all(later)).toEqual([30, 40, 50, 60])
    expect(batches.map(({ items }) => items)).toEqual([[1, 2], [3, 4, 5], [6]])
  })

  test('fail together with their batch, and the next batch is not concerned', async () => {
    const { calls, batches, begun } = held(2)
    const failed = Promise.allSettled([1, 2].map((item) => calls.call(item)))
    await begun(1)
    const next = calls.call(3)
    batches[0]!.done.reject(new Error('lost'))
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await begun(2)
    batches[1]!.done.resolve()
    expect(await next).toBe(30)
  })

  test('are worked one by one where an error may be that of one of them, and only that one fails', async () => {
    const worked: (readonly number[])[] = []
    const work = async (items: readonly number[]) => {
      worked.push(items)
      if (items.includes(2)) throw new Error(items.includes(9) ? 'down' : 'refused')
      return items
    }
    const calls = new BatchedCalls(8, work, { isOfOne: (error) => (error as Error).message !== 'down' })
    const settled = await Promise.allSettled([1, 2, 3].map((item) => calls.call(item)))
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : one.status))).toEqual([1, 'rejected', 3])
    expect(worked).toEqual([[1, 2, 3], [1], [2], [3]])
    const all = await Promise.allSettled([1, 2, 9].map((item) => calls.call(item)))
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(worked).toHaveLength(5)
  })

  test('wait for a batch that is held up only as long as asked for', async () => {
    const gate = Promise.withResolvers<void>()
    const work = async (items: readonly number[]) => {
      if (items.includes(1)) await gate.promise
      return items
    }
    const calls = new BatchedCalls(8, work, { longestWaitMs: 20 })
    const first = calls.call(1)
    await new Promise((resolve) => setImmediate(resolve))
    expect(await Promise.all([calls.call(2), calls.call(3)])).toEqual([2, 3])
    gate.resolve()
    expect(await first).toBe(1)
  })

  test('of two batches begin as far apart as asked for', async () => {
    const begun: number[] = []
    const calls = new BatchedCalls(
      1,
      async (items: readonly number[]) => {
        begun.push(performance.now())
        return items
      },
      { spacingMs: 20 },
    )
    await Promise.all([1, 2, 3].map((item) => calls.call(item)))
    const gaps = begun.slice(1).map((at, index) => at - begun[index]!)
    for (const gap of gaps) expect(gap).toBeGreaterThan(18)
  })
})
