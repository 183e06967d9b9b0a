import { timeOf } from '../../jobs/jobs-filter.ts'
import { stepsBetween } from '../../statistics/sums.ts'

type Query = Readonly<Record<string, string | undefined>>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The service counts the causes of no longer time. */
const LONGEST_MS = 31 * DAY_MS
/** A longer window is counted by days. */
const HOURLY_MS = 2 * DAY_MS

/** Ranges up to now, in days; lists of jobs know them by the same names. */
export const FAILURE_RANGES = { '24h': [1, '24 hours'], '7d': [7, '7 days'], '30d': [30, '30 days'] } as const
type RangeName = keyof typeof FAILURE_RANGES

/** A stretch of time whose failures are counted, in milliseconds. */
export interface FailureWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** An hour, or a day of UTC. */
  readonly stepMs: number
  /** The range that it is, up to now; null: chosen by its ends. */
  readonly range: RangeName | null
}

/** The window of an address: its `from` and `to` where they make one, else its `range` up to now, else a day. */
export function failureWindowOf(query: Query, now: number): FailureWindow {
  const [from, to] = [timeOf(query.from), timeOf(query.to)].map((time) => Date.parse(time ?? ''))
  const length = (to ?? 0) - (from ?? 0)
  if (from && to && length > 0 && length <= LONGEST_MS) return { from, to, stepMs: stepOf(length), range: null }
  const range = isRange(query.range) ? query.range : '24h'
  const end = Math.ceil(now / MINUTE_MS) * MINUTE_MS
  const ms = FAILURE_RANGES[range][0] * DAY_MS
  return { from: end - ms, to: end, stepMs: stepOf(ms), range }
}

/** The parameters of an address that make no window: ends that are no times, that lack the other one or are too far apart, and unknown ranges. */
export function droppedOf(query: Query): string[] {
  if (failureWindowOf(query, 0).range === null) return []
  const isUnknown = query.range && !isRange(query.range)
  return [...(['from', 'to'] as const).filter((name) => query[name]), ...(isUnknown ? ['range'] : [])]
}

/** The beginnings of the steps that a window lies in; the first and the last one may reach beyond it. */
export const stepsOf = ({ from, to, stepMs }: FailureWindow): number[] => stepsBetween(from, to, stepMs)

/** Changes when a window must be counted again: hours up to now each minute, days each day, fixed ends never. */
export function lookOf({ range, to, stepMs }: FailureWindow): number {
  if (range === null) return 0
  return Math.floor(to / (stepMs === HOUR_MS ? MINUTE_MS : stepMs))
}

export const isByHour = ({ stepMs }: FailureWindow): boolean => stepMs === HOUR_MS

const stepOf = (length: number): number => (length <= HOURLY_MS ? HOUR_MS : DAY_MS)

const isRange = (name: string | undefined): name is RangeName =>
  name !== undefined && Object.hasOwn(FAILURE_RANGES, name)
