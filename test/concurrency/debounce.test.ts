import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Debounce } from '../../src/concurrency/debounce.ts'

const SPACING_MS = 5

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function recorded() {
  const done: string[] = []
  return { done, debounce: new Debounce((name) => done.push(name), SPACING_MS) }
}

test('the first call of a quiet time goes through at once, and those that follow become one at its end', () => {
  const { done, debounce } = recorded()
  for (let n = 0; n < 3; n++) debounce.call('a')
  expect(done).toEqual(['a'])
  vi.advanceTimersByTime(SPACING_MS)
  expect(done).toEqual(['a', 'a'])
  // The late call has begun a time of its own.
  debounce.call('a')
  expect(done).toEqual(['a', 'a'])
  vi.advanceTimersByTime(SPACING_MS)
  expect(done).toEqual(['a', 'a', 'a'])
  vi.advanceTimersByTime(SPACING_MS)
  debounce.call('a')
  expect(done).toEqual(['a', 'a', 'a', 'a'])
})

test('names do not wait for each other', () => {
  const { done, debounce } = recorded()
  for (const name of ['a', 'b', 'a']) debounce.call(name)
  expect(done).toEqual(['a', 'b'])
})

test('a caller that begins a quiet time does the work itself, and later calls follow at its end', () => {
  const { done, debounce } = recorded()
  expect([debounce.begin('a'), debounce.begin('a')]).toEqual([true, false])
  vi.advanceTimersByTime(SPACING_MS)
  expect(done).toEqual([])
  debounce.begin('a')
  debounce.call('a')
  vi.advanceTimersByTime(SPACING_MS)
  expect(done).toEqual(['a'])
})
