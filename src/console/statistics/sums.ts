import type { StatisticsSumsQuery } from '../operations.ts'
import type { Line } from './series.ts'
import { DAY_MS, HOUR_MS, type TimeWindow } from './window.ts'

type Sums = StatisticsSumsQuery['sums']

/** A longer window is summed by days. */
const HOURLY_MS = 180 * HOUR_MS

/** How long the steps of a window's sums are: hours, or days of UTC. */
export const sumStepOf = ({ from, to }: Pick<TimeWindow, 'from' | 'to'>): number =>
  to - from <= HOURLY_MS ? HOUR_MS : DAY_MS

/** The beginnings of the steps that a window lies in; the first and the last one may reach beyond it. */
export function stepsBetween(from: number, to: number, stepMs: number): number[] {
  const first = Math.floor(from / stepMs) * stepMs
  return Array.from({ length: Math.ceil((to - first) / stepMs) }, (_, index) => first + index * stepMs)
}

/**
 * A sum of the jobs that were accepted in each step of a window, and of the window before it: compared only where that is cut at the same parts of its
 * steps, since half an hour is never compared with a whole one. @param before null: it is not compared
 */
export function sumLine(
  sums: Sums,
  before: Sums | null,
  window: Pick<TimeWindow, 'from' | 'to'>,
  of: (group: Sums[number]) => number,
): Line {
  const { from, to } = window
  const stepMs = sumStepOf(window)
  const times = stepsBetween(from, to, stepMs)
  if (before === null || (to - from) % stepMs !== 0) return { times, values: valuesAt(sums, times, of), before: [] }
  const earlier = stepsBetween(2 * from - to, from, stepMs)
  const values = valuesAt(before, earlier, of)
  return { times, values: valuesAt(sums, times, of), before: times.map((_, index) => values[index] ?? null) }
}

function valuesAt(sums: Sums, times: readonly number[], of: (group: Sums[number]) => number): number[] {
  const found = new Map(sums.map((group) => [Date.parse(group.hour ?? group.day ?? ''), of(group)]))
  return times.map((at) => found.get(at) ?? 0)
}
