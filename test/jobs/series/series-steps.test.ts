import { afterAll, beforeAll, expect, test } from 'vitest'
import { stepsOf } from '../../../src/jobs/series/job-series.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

test.each([
  ['minute', '2026-03-29T00:59:30.001Z', '2026-03-29T03:00:00.000Z', 121],
  ['five_minutes', '2026-03-29T00:03:00.000Z', '2026-03-29T00:05:00.001Z', 2],
  ['quarter_hour', '2024-02-28T23:59:59.999Z', '2024-03-01T00:00:00.000Z', 97],
  ['hour', '2026-10-25T00:00:00.000Z', '2026-10-26T00:00:00.000Z', 24],
  ['six_hours', '1969-12-31T17:59:59.999Z', '1970-01-01T06:00:00.001Z', 4],
  ['day', '1969-12-30T00:00:00.001Z', '1970-01-02T00:00:00.000Z', 3],
  // Longer than it was asked for.
  ['minute', '2026-01-01T00:00:30.000Z', '2026-01-31T00:00:30.000Z', 8641],
] as const)('steps of a %s from %s to %s are those of the database', async (step, from, to, count) => {
  const window = { from: new Date(from), to: new Date(to), step }
  const steps = await stepsOf(service.runtime, { ...window, timeZone: 'UTC' })
  // The same zone by another name, which the database cuts.
  expect(steps).toEqual(await stepsOf(service.runtime, { ...window, timeZone: 'Etc/UTC' }))
  expect(steps.starts).toHaveLength(count)
})

test('a day whose midnight occurs twice begins at the first one', async () => {
  const window = { to: new Date('2026-10-26T12:00:00Z'), timeZone: 'Atlantic/Azores' }
  const startsOf = async (step: 'day' | 'six_hours', from: string) =>
    (await stepsOf(service.runtime, { ...window, from: new Date(from), step })).starts.map((at) => at.toISOString())
  expect(await startsOf('day', '2026-10-24T12:00:00Z')).toEqual([
    '2026-10-24T00:00:00.000Z',
    '2026-10-25T00:00:00.000Z',
    '2026-10-26T01:00:00.000Z',
  ])
  expect((await startsOf('six_hours', '2026-10-25T00:30:00Z'))[0]).toBe('2026-10-25T00:00:00.000Z')
})

test('steps of UTC ask nothing of the database', async () => {
  const pool = { query: () => Promise.reject(new Error('asked')) }
  const window = { from: new Date(0), to: new Date(3_600_000), step: 'minute', timeZone: 'UTC' } as const
  expect((await stepsOf({ db: { pool } } as never, window)).starts).toHaveLength(60)
})
