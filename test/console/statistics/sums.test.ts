import { expect, test } from 'vitest'
import { stepsBetween, sumLine, sumStepOf } from '../../../src/console/statistics/sums.ts'

const HOUR_MS = 3_600_000
const at = (time: string) => Date.parse(`2026-11-22T${time}:00Z`)
const sum = (time: string, credits: number) => ({
  hour: `2026-11-22T${time}:00.000Z`,
  day: null,
  characters: 0,
  credits,
})
const creditsOf = ({ credits }: { credits: number | null }) => credits ?? 0

test('sums stand at the hours that a window lies in, with nothing where there were none, next to those of the window before', () => {
  const window = { from: at('10:30'), to: at('12:30') }
  const [now, before] = [
    [sum('10:00', 7), sum('12:00', 9)],
    [sum('08:00', 1), sum('09:00', 2), sum('10:00', 3)],
  ]
  const times = ['10:00', '11:00', '12:00'].map(at)
  expect(sumLine(now, before, window, creditsOf)).toEqual({ times, values: [7, 0, 9], before: [1, 2, 3] })
  expect(sumLine(now, null, window, creditsOf)).toEqual({ times, values: [7, 0, 9], before: [] })
})

test('a window that is no whole number of steps long is not compared, since its steps are cut at other places', () => {
  const before = [sum('09:00', 2), sum('10:00', 3)]
  const beforeOf = (from: string, to: string) =>
    sumLine([sum('11:00', 7)], before, { from: at(from), to: at(to) }, creditsOf).before
  expect([beforeOf('10:30', '12:00'), beforeOf('11:00', '12:30')]).toEqual([[], []])
  expect([beforeOf('11:00', '12:00'), beforeOf('11:30', '12:30')]).toEqual([[3], [3, 0]])
})

test('a window of more than 180 hours is summed by days', () => {
  const steps = [180, 181].map((hours) => sumStepOf({ from: 0, to: hours * HOUR_MS }) / HOUR_MS)
  expect(steps).toEqual([1, 24])
  expect(stepsBetween(at('00:00') - 1, at('00:00') + 1, 24 * HOUR_MS).length).toBe(2)
})
