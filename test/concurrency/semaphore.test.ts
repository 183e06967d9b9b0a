import { describe, expect, test } from 'vitest'
import { Semaphore } from '../../src/concurrency/semaphore.ts'

const never = new AbortController().signal

describe('Semaphore', () => {
  test('grants so many permits, and the others in the order of their requests', async () => {
    const semaphore = new Semaphore(() => 1)
    const granted: number[] = []
    const release = await semaphore.acquire(never)
    const waiting = [1, 2].map((nth) => semaphore.run(never, async () => granted.push(nth)))
    expect([semaphore.inUse, semaphore.waiting, granted]).toEqual([1, 2, []])
    release()
    await Promise.all(waiting)
    expect([granted, semaphore.inUse]).toEqual([[1, 2], 0])
  })

  test('grants first what somebody waits for, whatever came before', async () => {
    const semaphore = new Semaphore(() => 1)
    const granted: string[] = []
    const release = await semaphore.acquire(never)
    const run = (name: string, awaitedBy?: string) => semaphore.run(never, async () => granted.push(name), awaitedBy)
    const waiting = [run('batch 1'), run('batch 2'), run('one', 'a'), run('more', 'a'), run('other', 'b')]
    release()
    await Promise.all(waiting)
    expect(granted).toEqual(['one', 'other', 'more', 'batch 1', 'batch 2'])
  })

  test('a permit is released once, however often its release is called', async () => {
    const semaphore = new Semaphore(() => 2)
    const [release] = [await semaphore.acquire(never), await semaphore.acquire(never)]
    release()
    release()
    expect(semaphore.inUse).toBe(1)
  })

  test('an aborted request leaves, and one whose signal was aborted before is not granted', async () => {
    const semaphore = new Semaphore(() => 1)
    const release = await semaphore.acquire(never)
    const controller = new AbortController()
    const aborted = semaphore.acquire(controller.signal)
    controller.abort(new Error('cancelled'))
    await expect(aborted).rejects.toThrow('cancelled')
    expect(semaphore.waiting).toBe(0)
    release()
    await expect(semaphore.acquire(controller.signal)).rejects.toThrow('cancelled')
    expect(semaphore.inUse).toBe(0)
  })

  test('grants more once its limit has risen', async () => {
    let limit = 0
    const semaphore = new Semaphore(() => limit)
    const waiting = semaphore.acquire(never)
    limit = 1
    semaphore.grant()
    await waiting
    expect(semaphore.inUse).toBe(1)
  })
})
