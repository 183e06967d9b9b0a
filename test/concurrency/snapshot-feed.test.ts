import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLatestStream } from '../../src/concurrency/latest-stream.ts'
import { SnapshotFeed } from '../../src/concurrency/snapshot-feed.ts'

interface Count {
  readonly id: string
  readonly value: number
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A feed of numbers that a test sets, with what was read of it. */
function openCounts(refreshMs = 10_000) {
  const values = new Map<string, number>()
  const reads: (readonly string[])[] = []
  const failures: string[] = []
  const state = { fails: false }
  const feed = new SnapshotFeed<Count>({
    read: async (ids) => {
      reads.push(ids)
      if (state.fails) throw new Error('away')
      return ids.map((id) => ({ id, value: values.get(id) ?? 0 }))
    },
    refreshMs,
    onFailure: ({ message }) => failures.push(message),
  })
  const set = (id: string, value: number) => {
    values.set(id, value)
    feed.invalidate(id)
  }
  const follow = (id: string, everyMs = 1000) => {
    const heard: number[] = []
    const stream = feed.follow(id, everyMs, (onEnd) => openLatestStream<Count>(onEnd))
    const take = () => {
      for (let next = stream.take(); next !== null && next.done !== true; next = stream.take())
        heard.push(next.value.value)
    }
    stream.onMore(take)
    return { heard, end: () => stream.return() }
  }
  return { reads, failures, state, values, set, follow }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('snapshots', () => {
  test('come at once, then only when they differ, once in the time that was asked for', async () => {
    const { set, follow, reads } = openCounts()
    const { heard, end } = follow('a')
    await pass(0)
    expect(heard).toEqual([0])
    for (let n = 1; n <= 30; n++) {
      set('a', n)
      await pass(100)
    }
    expect(heard.length).toBeLessThanOrEqual(4)
    await pass(1100)
    expect(heard.at(-1)).toBe(30)
    const before = reads.length
    await pass(8000)
    expect(reads.length).toBe(before)
    await end()
  })

  test('are read once for all that follow the same, together with all others that are due', async () => {
    const { follow, reads, set } = openCounts()
    const followers = [follow('a'), follow('a'), follow('b')]
    await pass(1100)
    set('a', 1)
    set('b', 2)
    const before = reads.length
    await pass(1000)
    expect(reads.slice(before)).toEqual([['a', 'b']])
    expect(followers.map(({ heard }) => heard)).toEqual([
      [0, 1],
      [0, 1],
      [0, 2],
    ])
    for (const { end } of followers) await end()
    await pass(60_000)
    expect(reads.length).toBe(before + 1)
  })

  test('that could not be read are read again, and a change without a notification is seen after a while', async () => {
    const { follow, failures, state, values } = openCounts(5000)
    state.fails = true
    const { heard, end } = follow('a')
    await pass(10)
    expect([heard, failures]).toEqual([[], ['away']])
    state.fails = false
    await pass(1100)
    expect(heard).toEqual([0])
    values.set('a', 7)
    await pass(5100)
    expect(heard).toEqual([0, 7])
    await end()
  })
})
