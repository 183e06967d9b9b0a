import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTurns, paced } from '../../src/backup/artifacts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Returns the bytes that have come through, and a function that sends more. */
function openPaced() {
  const stream = paced()
  const came: string[] = []
  stream.on('data', (chunk: Buffer) => came.push(String(chunk)))
  return {
    came,
    send: async (text: string, workedMs: number) => {
      vi.advanceTimersByTime(workedMs)
      stream.write(text)
      await settled()
      return came.at(-1) === text
    },
    wait: async (ms: number) => {
      vi.advanceTimersByTime(ms)
      await settled()
    },
  }
}

test('rows pass at once for 5 ms, and after that wait for twice as long as they took', async () => {
  const { send, wait, came } = openPaced()
  expect(await send('a', 2)).toBe(true)
  expect(await send('b', 2)).toBe(true)
  expect(await send('c', 6)).toBe(false)
  await wait(19)
  expect(came).toEqual(['a', 'b'])
  await wait(1)
  expect(came).toEqual(['a', 'b', 'c'])
  expect(await send('d', 4)).toBe(true)
})

test('what took long waits for 100 ms at most, and comes in its order and whole', async () => {
  const { send, wait, came } = openPaced()
  expect(await send('a', 5_000)).toBe(false)
  expect(await send('b', 0)).toBe(false)
  await wait(99)
  expect(came).toEqual([])
  await wait(1)
  expect(came).toEqual(['a', 'b'])
})

test('pieces of work follow each other at once for 5 ms, and then after a rest of twice as long as they took, or 100 ms', async () => {
  const rest = openTurns()
  let begun = 0
  const wait = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await settled()
    return begun
  }
  const work = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    void rest().then(() => begun++)
    return wait(0)
  }
  expect([await work(4), await work(6), await wait(19), await wait(1)]).toEqual([1, 1, 1, 2])
  expect([await work(4), await work(5_000), await wait(99), await wait(1)]).toEqual([3, 3, 3, 4])
})
