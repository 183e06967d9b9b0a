import { expect, test } from 'vitest'
import {
  droppedOf,
  failureWindowOf,
  isByHour,
  lookOf,
  stepsOf,
} from '../../../../src/console/operator/failures/failure-window.ts'

const NOW = Date.parse('2026-11-22T12:00:30Z')
const iso = (times: readonly number[]) => times.map((ms) => new Date(ms).toISOString())

test('failures are counted by hours of a day, and by days of UTC of a longer range', () => {
  const [day, week] = [failureWindowOf({}, NOW), failureWindowOf({ range: '7d' }, NOW)]
  expect([isByHour(day), isByHour(week)]).toEqual([true, false])
  expect(iso([day.from, day.to])).toEqual(['2026-11-21T12:01:00.000Z', '2026-11-22T12:01:00.000Z'])
  expect([stepsOf(day).length, stepsOf(week).length]).toEqual([25, 8])
  expect(iso(stepsOf(week).slice(0, 1))).toEqual(['2026-11-15T00:00:00.000Z'])
})

test('the ends of an address are its window, unless they are none or longer than the service counts', () => {
  const ends = { from: '2026-11-20T00:00Z', to: '2026-11-20T02:00Z' }
  expect(stepsOf(failureWindowOf(ends, NOW)).length).toBe(2)
  for (const query of [
    { from: '2026-10-20T00:00Z', to: '2026-11-20T02:00Z' },
    { from: ends.to, to: ends.from },
    { from: 'x', to: ends.to },
    { range: 'constructor' },
  ])
    expect([query, failureWindowOf(query, NOW).range]).toEqual([query, '24h'])
})

test('a range of days is counted anew with each day and one of hours with each minute, and a window with its own ends never', () => {
  const looksOf = (query: Record<string, string>, laterMs: number) =>
    new Set([NOW, NOW + laterMs].map((now) => lookOf(failureWindowOf(query, now)))).size
  const ends = { from: '2026-11-20T00:00Z', to: '2026-11-20T02:00Z' }
  expect([looksOf({}, 60_000), looksOf({ range: '7d' }, 60_000), looksOf({ range: '30d' }, 86_400_000)]).toEqual([
    2, 1, 2,
  ])
  expect([looksOf(ends, 86_400_000), looksOf({ from: 'x' }, 60_000)]).toEqual([1, 2])
})

test('what makes no window of an address is named', () => {
  const [from, to] = ['2026-11-20T00:00Z', '2026-11-20T02:00Z']
  const dropped = [{ from: 'x' }, { from }, { from: '2026-10-20T00:00Z', to }, { from: to, to: from }, { range: 'x' }]
  expect(dropped.map(droppedOf)).toEqual([['from'], ['from'], ['from', 'to'], ['from', 'to'], ['range']])
  expect([{}, { from, to }, { range: '7d' }].map(droppedOf)).toEqual([[], [], []])
})
