import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectWhenIdle, youngBytes } from '../../src/runtime/idle-memory.ts'

const CHECK_MS = 20
/** A timer of 20 ms runs late where other processes take the processor. */
const WAIT = { timeout: 30_000, interval: 10 }
const LARGE_BYTES = 32 * 2 ** 20

const observer = new PerformanceObserver((list) => collections.push(...list.getEntries().filter(isOfEverything)))
let collections: PerformanceEntry[] = []
let end = () => {}
beforeEach(() => {
  outgrow()
  collections = []
  observer.observe({ entryTypes: ['gc'] })
})
afterEach(() => {
  end()
  observer.disconnect()
})

test('a process with little to do collects everything, and once', async () => {
  const howBusy = vi.fn(() => 0.01)
  end = collectWhenIdle(CHECK_MS, howBusy)
  await vi.waitFor(() => expect(howBusy.mock.calls.length).toBeGreaterThan(3), WAIT)
  await vi.waitFor(() => expect(collections).toHaveLength(1), WAIT)
})

test('a process at work is not held up to give memory back, but when it has ended', async () => {
  let share = 0.9
  const howBusy = vi.fn(() => share)
  end = collectWhenIdle(CHECK_MS, howBusy)
  await vi.waitFor(() => expect(howBusy.mock.calls.length).toBeGreaterThan(3), WAIT)
  expect(collections).toEqual([])
  share = 0.01
  await vi.waitFor(() => expect(collections).toHaveLength(1), WAIT)
})

test('how busy a process is tells its own processor time', async () => {
  end = collectWhenIdle(CHECK_MS)
  await vi.waitFor(() => expect(collections).not.toEqual([]), WAIT)
})

/** As a start does: what outlives a collection of young objects lets there be more of them. */
function outgrow(): void {
  let kept: object[] = []
  while (youngBytes() < LARGE_BYTES) {
    kept = kept.length > 400_000 ? [] : kept
    for (let made = 0; made < 10_000; made++) kept.push({ made })
  }
}

function isOfEverything(entry: PerformanceEntry): boolean {
  const { kind, flags } = (entry as PerformanceEntry & { detail: { kind: number; flags: number } }).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR && flags === constants.NODE_PERFORMANCE_GC_FLAGS_FORCED
}
