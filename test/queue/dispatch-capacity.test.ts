import { expect, test } from 'vitest'
import { DispatchCapacity } from '../../src/queue/dispatch-capacity.ts'
import type { RunningJob } from '../../src/queue/running-jobs.ts'

const SLOTS = 2

const job = (changes: Partial<RunningJob>, isAwaited = true): RunningJob => ({
  delivery: { id: '', retryCount: 0, jobId: '', isAwaited },
  controller: new AbortController(),
  ticket: undefined,
  done: Promise.resolve(),
  cancelled: false,
  isParked: false,
  isHeard: false,
  ...changes,
})

/** What is free for jobs that somebody waits for, and for others. */
function freeBeside(jobs: readonly RunningJob[], slots = SLOTS): readonly number[] {
  const byDelivery = new Map(jobs.map((one, index) => [String(index), one]))
  const server = { isAwaited: true, capacities: () => new Map([['s', 3]]), at: () => undefined, watch: () => undefined }
  const capacity = new DispatchCapacity({ slots, serverQueues: server }, byDelivery)
  return capacity.rooms().flatMap(({ free, limits }) => [free, limits.get('s')!, limits.get('')!])
}

const many = (count: number, changes: Partial<RunningJob>, isAwaited = true) =>
  Array.from({ length: count }, () => job(changes, isAwaited))

test('parked jobs hold no slot', () => {
  expect(freeBeside(many(300, { isParked: true }))).toEqual([5, 3, 2, 5, 3, 2])
})

test('jobs that are heard hold no slot; 16 for each slot run at most', () => {
  expect(freeBeside([...many(1, {}), ...many(20, { isHeard: true })])).toEqual([4, 3, 1, 5, 3, 2])
  expect(freeBeside(many(31, { isHeard: true }))).toEqual([4, 3, 1, 5, 3, 2])
  expect(freeBeside(many(32, { isHeard: true }))).toEqual([3, 3, 0, 5, 3, 2])
})

test('jobs that nobody waits for keep their slots', () => {
  expect(freeBeside(many(2, {}, false))).toEqual([5, 3, 2, 3, 3, 0])
})
