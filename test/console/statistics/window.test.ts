import { expect, test } from 'vitest'
import { change, lineOf } from '../../../src/console/statistics/series.ts'
import {
  addressOfWindow,
  drawn,
  HOUR_MS,
  moved,
  nearest,
  windowOf,
  zoomed,
} from '../../../src/console/statistics/window.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const hours = (window: readonly [number, number]) => window.map((ms) => (ms - NOW) / HOUR_MS)

test('a window lies in the address, with a step that a chart can show; what makes none is the last day', () => {
  const written = addressOfWindow(NOW - 2 * HOUR_MS, NOW - HOUR_MS) as Record<string, string>
  const read = windowOf(written, NOW)
  expect([hours([read.from, read.to]), read.step, read.range]).toEqual([[-2, -1], 'MINUTE', null])
  const steps = ['1h', '24h', '7d', '30d', '90d'].map((range) => windowOf({ range }, NOW).step)
  expect(steps).toEqual(['MINUTE', 'QUARTER_HOUR', 'HOUR', 'SIX_HOURS', 'DAY'])
  const wrong = [{ range: 'none' }, { from: 'x', to: 'y' }, { from: '2026-11-22T12:00Z', to: '2026-11-22T11:00Z' }]
  expect(wrong.map((query) => windowOf(query, NOW).range)).toEqual(['24h', '24h', '24h'])
})

test('zooming keeps the middle, and nothing reaches beyond now or below five minutes', () => {
  const window = windowOf(addressOfWindow(NOW - 6 * HOUR_MS, NOW - 2 * HOUR_MS) as Record<string, string>, NOW)
  expect(
    [zoomed(window, 0.5, NOW), zoomed(window, 2, NOW), moved(window, -1, NOW), moved(window, 1, NOW)].map(hours),
  ).toEqual([
    [-5, -3],
    [-8, 0],
    [-8, -4],
    [-4, 0],
  ])
  const [from, to] = drawn(NOW - 1000, NOW, NOW)
  expect([to - from, to]).toEqual([5 * 60_000, NOW])
})

test('a line is compared step by step with the window before, which may have one less', () => {
  const point = (accepted: number) => ({ at: '2026-11-22T12:00:00Z', accepted }) as never
  const line = lineOf([point(3), point(5)], [point(4)], ({ accepted }) => accepted)
  expect([line.values, line.before, change(3, 2), change(3, 0)]).toEqual([[3, 5], [4, null], 0.5, null])
})

test('the window next to an empty one is as long, lies around the nearest job, and does not reach beyond now', () => {
  const [from, to] = [NOW - 4 * HOUR_MS, NOW - 2 * HOUR_MS]
  const of = (...jobs: number[]) => nearest({ from, to }, jobs, NOW)
  expect(hours(of(NOW - 30 * HOUR_MS, NOW - 90 * HOUR_MS)!)).toEqual([-31, -29])
  expect(hours(of(NOW - 30 * HOUR_MS, NOW - 0.5 * HOUR_MS)!)).toEqual([-2, 0])
  expect(of()).toBe(null)
  // The current minute.
  const just = nearest({ from, to }, [NOW + 5_000], NOW + 20_000)!
  expect(windowOf(addressOfWindow(...just) as Record<string, string>, NOW + 20_000).to).toBeGreaterThan(NOW + 5_000)
})
