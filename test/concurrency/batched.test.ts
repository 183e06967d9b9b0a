import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batched } from '../../src/concurrency/batched.ts'
import { openLatestStream } from '../../src/concurrency/latest-stream.ts'
import { nextTurn } from '../../src/concurrency/next-turn.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('thousands of removals are one batch beside the rows, and end no stream', async () => {
  const { states, push } = openLatestStream<{ readonly id: string; readonly gone: boolean }>(() => undefined)
  const batches = batched(states, 200, ({ gone }) => gone)
  push({ id: 'there', gone: false })
  push({ id: 'back', gone: true })
  for (let n = 0; n < 12_000; n++) push({ id: `${n}`, gone: true })
  push({ id: 'back', gone: false })
  const first = batches.next()
  vi.advanceTimersByTime(50)
  const ids = (await first).value?.map(({ id }) => id)
  expect(ids).toHaveLength(10_002)
  expect(ids?.slice(0, 3)).toEqual(['there', 'back', '0'])
  const second = batches.next()
  vi.advanceTimersByTime(200)
  expect((await second).value).toHaveLength(2_000)
  await batches.return()
})

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
