import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let clock: typeof import('../../../src/console/api/clock.ts')
let loaded = 0
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 24, 12) })
  vi.stubGlobal('document', { hidden: false })
  // One that has heard nothing yet, as with every load of the page.
  clock = await import(`../../../src/console/api/clock.ts?${loaded++}`)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** An answer whose service was off by so much when it sent it, after the request had been under way for so long. */
const answer = (offMs: number, tookMs = 0): void => clock.noteTime(String(Date.now() + offMs), Date.now() - tookMs)

test("the page goes by the service's time, from its first answer on", () => {
  answer(-5 * HOUR_MS)
  expect([clock.timeNow(), clock.now.value]).toEqual(Array(2).fill(Date.now() - 5 * HOUR_MS))
})

test.each([
  ['says no time', () => clock.noteTime(null, Date.now())],
  ['says what is no time', () => clock.noteTime('noon', Date.now())],
  ['differs by two seconds', () => answer(2000)],
  ['was sent before a line of ten seconds', () => answer(-10_000, 10_000)],
])('an answer that %s leaves the clock as it is', (_, note) => {
  note()
  expect(clock.timeNow()).toBe(Date.now())
})

test('answers that contradict each other move the clock once a minute at most', () => {
  const times = new Set<number>()
  for (let nth = 0; nth < 100; nth++) {
    answer(nth % 2 === 0 ? HOUR_MS : -HOUR_MS)
    times.add(clock.timeNow() - Date.now())
  }
  expect([...times]).toEqual([HOUR_MS])
  vi.advanceTimersByTime(MINUTE_MS)
  answer(-HOUR_MS)
  expect(clock.timeNow()).toBe(Date.now() - HOUR_MS)
})
