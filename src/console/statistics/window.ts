import type { SeriesStep } from '../operations.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The ranges that are offered, in hours. */
export const RANGES = {
  '1h': [1, '1 hour'],
  '24h': [24, '24 hours'],
  '7d': [168, '7 days'],
  '30d': [720, '30 days'],
  '90d': [2160, '90 days'],
} as const
export type RangeName = keyof typeof RANGES

const STEPS: readonly (readonly [step: SeriesStep, ms: number])[] = [
  ['MINUTE', MINUTE_MS],
  ['FIVE_MINUTES', 5 * MINUTE_MS],
  ['QUARTER_HOUR', 15 * MINUTE_MS],
  ['HOUR', HOUR_MS],
  ['SIX_HOURS', 6 * HOUR_MS],
  ['DAY', DAY_MS],
]
const READABLE_POINTS = 180
const SHORTEST_MS = 5 * MINUTE_MS
const LONGEST_MS = 366 * DAY_MS

/** A stretch of time, in milliseconds, and how finely it is shown. */
export interface TimeWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly step: SeriesStep
  readonly stepMs: number
  /** The range that it is, up to now; null: chosen by its ends. */
  readonly range: RangeName | null
}

/**
 * The window of an address: its `from` and `to` where they make one, else its `range` up to now, else a day; to whole minutes. The service begins it with
 * the step that it lies in.
 */
export function windowOf(query: Readonly<Record<string, string | undefined>>, now: number): TimeWindow {
  const [from, to] = [Date.parse(query.from ?? ''), Date.parse(query.to ?? '')]
  const length = to - from
  if (length >= SHORTEST_MS && length <= LONGEST_MS) return aligned(from, to, null)
  const range = isRange(query.range) ? query.range : '24h'
  return aligned(now - RANGES[range][0] * HOUR_MS, now, range)
}

/** The parameters that lead back to a window. */
export const addressOfWindow = (from: number, to: number): Record<'range' | 'from' | 'to', string | null> => ({
  range: null,
  from: isoMinute(from),
  to: isoMinute(to),
})

/** The window half as long, or twice, around the same middle; it does not reach beyond now. */
export function zoomed({ from, to }: TimeWindow, factor: 0.5 | 2, now: number): [from: number, to: number] {
  const length = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (to - from) * factor))
  const end = Math.min(now, (from + to + length) / 2)
  return [end - length, end]
}

/** The window next to it, earlier or later; it does not reach beyond now. */
export function moved({ from, to }: TimeWindow, steps: -1 | 1, now: number): [from: number, to: number] {
  const length = to - from
  const end = Math.min(now, to + (steps * length) / 2)
  return [end - length, end]
}

/** A stretch that was drawn over a chart; too short a one is widened to what can be shown. */
export function drawn(from: number, to: number, now: number): [from: number, to: number] {
  const length = Math.max(SHORTEST_MS, to - from)
  const end = Math.min(now, (from + to + length) / 2)
  return [end - length, end]
}

/** A window as long as another one, around the job that is nearest to that. @param jobs when those next to it were accepted */
export function nearest(
  { from, to }: Pick<TimeWindow, 'from' | 'to'>,
  jobs: readonly number[],
  now: number,
): [from: number, to: number] | null {
  const away = (at: number): number => (at < from ? from - at : at - to)
  const [at] = jobs.toSorted((one, other) => away(one) - away(other))
  // An address has whole minutes: a job of the minute that runs is within it.
  const minute = Math.ceil(now / MINUTE_MS) * MINUTE_MS
  return at === undefined ? null : drawn(at - (to - from) / 2, at + (to - from) / 2, minute)
}

function aligned(from: number, to: number, range: RangeName | null): TimeWindow {
  const [step, stepMs] = STEPS.find(([, ms]) => (to - from) / ms <= READABLE_POINTS) ?? STEPS.at(-1)!
  const first = Math.floor(from / MINUTE_MS) * MINUTE_MS
  return { from: first, to: Math.ceil(to / MINUTE_MS) * MINUTE_MS, step, stepMs, range }
}

const isoMinute = (ms: number): string =>
  `${new Date(Math.round(ms / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 16)}Z`

const isRange = (name: string | undefined): name is RangeName => name !== undefined && Object.hasOwn(RANGES, name)
