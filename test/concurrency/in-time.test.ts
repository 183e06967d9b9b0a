import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inTime } from '../../src/concurrency/in-time.ts'

const HUNG = new Promise<never>(() => undefined)
const tooLate = () => {
  throw new Error('too late')
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('an answer in time is the result, error or not, and leaves no timer', async () => {
  expect(await inTime(1000, Promise.resolve('answer'), tooLate)).toBe('answer')
  await expect(inTime(1000, Promise.reject(new Error('failed')), tooLate)).rejects.toThrow('failed')
  expect(vi.getTimerCount()).toBe(0)
})

test('an answer that is late gives place to another result, or to an error', async () => {
  const results = [inTime(1000, HUNG, () => 'late'), inTime(1000, HUNG, tooLate).catch(({ message }) => message)]
  await vi.advanceTimersByTimeAsync(1000)
  expect(await Promise.all(results)).toEqual(['late', 'too late'])
})
