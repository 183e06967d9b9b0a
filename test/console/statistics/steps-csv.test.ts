import { expect, test } from 'vitest'
import { stepsCsv } from '../../../src/console/statistics/steps-csv.ts'

const at = (time: string) => `2026-11-22T${time}:00.000Z`
const times = { p50: 1, p95: 2, p99: 3 }
const point = (time: string) => ({
  at: at(time),
  accepted: 4,
  completed: 3,
  failed: 1,
  waiting: 0,
  audioSeconds: 2.5,
  waitMs: times,
  runMs: null,
})
const sum = (time: string | null, day: string | null) => ({
  hour: time && at(time),
  day,
  characters: 5,
  credits: 30,
})

test('the file of all charts has p99, the real-time factor, and characters and credits in the row of their hour', () => {
  const window = { from: Date.parse(at('10:10')), to: Date.parse(at('10:40')) }
  const data = {
    speech: { points: [{ at: at('10:15'), realTimeFactor: 0.5 }] },
    sums: [sum('10:00', null)],
  }
  expect(
    stepsCsv({ points: [point('10:00'), point('10:15')] }, data, window)
      .slice(1)
      .split('\r\n'),
  ).toEqual([
    'time,accepted,completed,failed,waiting,audioSeconds,waitP50Ms,waitP95Ms,waitP99Ms,runP50Ms,runP95Ms,runP99Ms,realTimeFactor,charactersByHour,creditsByHour',
    `${at('10:00')},4,3,1,0,2.5,1,2,3,,,,,5,30`,
    `${at('10:15')},4,3,1,0,2.5,1,2,3,,,,0.5,,`,
    '',
  ])
})

test('sums of days of UTC have rows of their own where the days of the charts are other ones, and are none without jobs', () => {
  const window = { from: Date.parse(at('00:00')), to: Date.parse(at('00:00')) + 9 * 86_400_000 }
  const data = { speech: { points: [] }, sums: [sum(null, at('00:00'))] }
  const lines = stepsCsv({ points: [point('15:00')] }, data, window).split('\r\n')
  expect(lines[0]).toMatch(/,charactersByDayUtc,creditsByDayUtc$/)
  expect(lines.slice(1, 4)).toEqual([
    `${at('00:00')},,,,,,,,,,,,,5,30`,
    `${at('15:00')},4,3,1,0,2.5,1,2,3,,,,,,`,
    `2026-11-23T00:00:00.000Z,,,,,,,,,,,,,0,0`,
  ])
})
