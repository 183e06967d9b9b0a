import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batched } from '../../src/concurrency/batched.ts'
import { openLatestStream } from '../../src/concurrency/latest-stream.ts'
import { nextTurn } from '../../src/concurrency/next-turn.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('what comes first comes together, however late, and what comes within a tick with the next one', async () => {
  const { states, push } = openLatestStream<{ readonly id: string }>(() => undefined)
  const batches = batched(states, 200)
  const next = async () => (await batches.next()).value?.map(({ id }) => id)
  vi.advanceTimersByTime(150)
  const first = next()
  push({ id: 'a' })
  await nextTurn()
  push({ id: 'b' })
  vi.advanceTimersByTime(50)
  expect(await first).toEqual(['a', 'b'])
  const second = next()
  push({ id: 'c' })
  push({ id: 'd' })
  vi.advanceTimersByTime(200)
  expect(await second).toEqual(['c', 'd'])
  await batches.return()
})
