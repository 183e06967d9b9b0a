import { describe, expect, test } from 'vitest'
import { FairSemaphore } from '../../src/concurrency/fair-semaphore.ts'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A semaphore of which each request takes down its name once it is granted. */
function recorded(limit: number, perKey?: number) {
  const semaphore = new FairSemaphore({ total: limit, ...(perKey !== undefined && { perKey }) })
  const granted: string[] = []
  const releases = new Map<string, () => void>()
  const acquire = async (name: string, signal: AbortSignal = never) => {
    const release = await semaphore.acquire(name[0] as string, signal)
    granted.push(name)
    releases.set(name, release)
  }
  const release = async (name: string) => {
    releases.get(name)?.()
    await turn()
  }
  return { granted, acquire, release }
}

describe('a fair semaphore', () => {
  test('grants keys by turns, however many requests one of them has', async () => {
    const { granted, acquire, release } = recorded(1)
    const all = Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => acquire(name)))
    for (const name of ['none', 'a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await release(name)
    await all
    expect(granted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  test('grants no more than its limit, and a permit that is released twice once', async () => {
    const { granted, acquire, release } = recorded(2)
    const all = Promise.all(['a1', 'b1', 'c1', 'd1', 'e1'].map((name) => acquire(name)))
    await turn()
    expect(granted).toEqual(['a1', 'b1'])
    await release('a1')
    await release('a1')
    expect(granted).toEqual(['a1', 'b1', 'c1'])
    for (const name of ['b1', 'c1', 'd1']) await release(name)
    await all
  })

  test('forgets a request that is aborted while it waits, and refuses one that was aborted before', async () => {
    const { granted, acquire, release } = recorded(1)
    const away = new AbortController()
    await acquire('a1')
    const aborted = ['a2', 'b1'].map((name) => acquire(name, away.signal))
    const last = acquire('c1')
    away.abort(new Error('away'))
    for (const one of [...aborted, acquire('d1', away.signal)]) await expect(one).rejects.toThrow('away')
    await release('a1')
    await last
    expect(granted).toEqual(['a1', 'c1'])
  })

  test('grants one key no more than its own limit, and others the rest', async () => {
    const { granted, acquire, release } = recorded(3, 2)
    const all = Promise.all(['a1', 'a2', 'a3', 'b1', 'c1', 'a4'].map((name) => acquire(name)))
    await turn()
    expect(granted).toEqual(['a1', 'a2', 'b1'])
    await release('b1')
    expect(granted).toEqual(['a1', 'a2', 'b1', 'c1'])
    await release('c1')
    expect(granted).toHaveLength(4)
    for (const name of ['a1', 'a2', 'a3']) await release(name)
    await all
    expect(granted.slice(4)).toEqual(['a3', 'a4'])
  })

  test('grants one key its own limit where there is no other, in the order of its requests', async () => {
    const semaphore = new FairSemaphore({ perKey: 1 })
    const [a, b] = [await semaphore.acquire('a'), semaphore.tryAcquire('b')]
    expect([semaphore.tryAcquire('a'), b]).toEqual([null, expect.any(Function)])
    const granted: number[] = []
    const waiting = [1, 2].map(async (nth) => {
      const release = await semaphore.acquire('a')
      granted.push(nth)
      release()
    })
    a()
    // The permit belongs to the first of those that wait.
    expect(semaphore.tryAcquire('a')).toBeNull()
    await Promise.all(waiting)
    expect(granted).toEqual([1, 2])
    expect(semaphore.tryAcquire('a')).not.toBeNull()
  })

  test('rejects a request that has waited too long, and forgets it', async () => {
    const semaphore = new FairSemaphore({ total: 1 }, { ms: 1, error: () => new Error('late') })
    const release = await semaphore.acquire('a')
    await expect(semaphore.acquire('b')).rejects.toThrow('late')
    release()
    expect(semaphore.tryAcquire('c')).not.toBeNull()
  })
})
