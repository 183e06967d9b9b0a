import { toCsv } from '../jobs/csv.ts'
import type { StatisticsQuery, StatisticsSumsQuery } from '../operations.ts'
import { sumLine, sumStepOf } from './sums.ts'
import { DAY_MS, type TimeWindow } from './window.ts'

type Row = Readonly<Record<string, string | number | null | undefined>>

const COLUMNS = [
  'time',
  'accepted',
  'completed',
  'failed',
  'waiting',
  'audioSeconds',
  'waitP50Ms',
  'waitP95Ms',
  'waitP99Ms',
  'runP50Ms',
  'runP95Ms',
  'runP99Ms',
  'realTimeFactor',
] as const

/**
 * All charts of a window, a row for each step. Characters and credits are summed by the hour or by the day of UTC, which their columns say: they stand in the row
 * that this begins with, in one of their own where no step begins then.
 */
export function stepsCsv(
  { points }: StatisticsQuery['series'],
  { speech, sums }: Pick<StatisticsSumsQuery, 'speech' | 'sums'>,
  window: Pick<TimeWindow, 'from' | 'to'>,
): string {
  const step = sumStepOf(window) === DAY_MS ? 'ByDayUtc' : 'ByHour'
  const rows = new Map<number, Row>()
  const add = (ms: number, row: Row): void => {
    rows.set(ms, { ...rows.get(ms), ...row })
  }
  for (const point of points) add(Date.parse(point.at), countsOf(point))
  for (const { at, realTimeFactor } of speech.points) add(Date.parse(at), { realTimeFactor })
  for (const name of ['characters', 'credits'] as const) {
    const { times, values } = sumLine(sums, null, window, (group) => group[name] ?? 0)
    times.forEach((ms, index) => {
      add(ms, { [`${name}${step}`]: values[index] })
    })
  }
  const sorted = [...rows].toSorted(([one], [other]) => one - other)
  return toCsv<string>(
    [...COLUMNS, `characters${step}`, `credits${step}`],
    sorted.map(([ms, row]) => ({ ...row, time: new Date(ms).toISOString() })),
  )
}

const countsOf = ({ at: _at, waitMs, runMs, ...counts }: StatisticsQuery['series']['points'][number]): Row => ({
  ...counts,
  waitP50Ms: waitMs?.p50,
  waitP95Ms: waitMs?.p95,
  waitP99Ms: waitMs?.p99,
  runP50Ms: runMs?.p50,
  runP95Ms: runMs?.p95,
  runP99Ms: runMs?.p99,
})
