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
