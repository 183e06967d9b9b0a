import type { Range } from '../list/jobs-filter.ts'

export type Span = 'hour' | 'day' | 'all'

export interface SpanRange extends Range<Date> {
  readonly span: Span
}

/** Parts without gap or overlap. */
export interface RollUpWindow {
  readonly spans: readonly SpanRange[]
  /** Parts of an hour, read from jobs. */
  readonly ends: readonly Range<Date>[]
  readonly whole: Range<Date> | null
}

const MS = { hour: 3_600_000, day: 86_400_000 } as const

export function toRollUpWindow({ from, to }: Range<Date>, finest: Span): RollUpWindow {
  if (from == null && to == null && finest === 'all') return { spans: [{ span: 'all' }], ends: [], whole: {} }
  const whole = { from: up(from, 'hour'), to: down(to, 'hour') }
  if (isEmpty(whole)) return { spans: [], ends: [{ from, to }], whole: null }
  const ends = [
    { from, to: whole.from },
    { from: whole.to, to },
  ].filter((end) => end.from != null && end.to != null && !isEmpty(end))
  return { spans: finest === 'hour' ? [{ span: 'hour', ...whole }] : daysIn(whole), ends, whole }
}

function daysIn(hours: Range<Date>): SpanRange[] {
  const days = { from: up(hours.from, 'day'), to: down(hours.to, 'day') }
  if (isEmpty(days)) return [{ span: 'hour', ...hours }]
  const around: SpanRange[] = [
    { span: 'hour', from: hours.from, to: days.from },
    { span: 'hour', from: days.to, to: hours.to },
  ]
  return [{ span: 'day', ...days }, ...around.filter(({ from, to }) => from != null && to != null && from < to)]
}

const up = (time: Date | null | undefined, unit: keyof typeof MS): Date | null =>
  time == null ? null : new Date(Math.ceil(time.getTime() / MS[unit]) * MS[unit])

const down = (time: Date | null | undefined, unit: keyof typeof MS): Date | null =>
  time == null ? null : new Date(Math.floor(time.getTime() / MS[unit]) * MS[unit])

const isEmpty = ({ from, to }: Range<Date>): boolean => from != null && to != null && from >= to
