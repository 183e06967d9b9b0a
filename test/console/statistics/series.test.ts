import { expect, test } from 'vitest'
import { HOUR_MS, toBuckets } from '../../../src/console/statistics/series.ts'

test('hours without jobs are there, and those with jobs are summed over statuses', () => {
  const from = Date.parse('2026-11-22T10:30:00Z')
  const groups = [
    { hour: '2026-11-22T11:00:00.000Z', status: 'COMPLETED', jobs: 4, audioSeconds: 90, credits: 8 },
    { hour: '2026-11-22T11:00:00.000Z', status: 'FAILED', jobs: 1, audioSeconds: null, credits: 0 },
  ]
  const buckets = toBuckets(groups, from, from + 2 * HOUR_MS, HOUR_MS)
  expect(
    buckets.map(({ at, jobs, failed, audioMinutes }) => [new Date(at).getUTCHours(), jobs, failed, audioMinutes]),
  ).toEqual([
    [10, 0, 0, 0],
    [11, 5, 1, 1.5],
    [12, 0, 0, 0],
  ])
})
