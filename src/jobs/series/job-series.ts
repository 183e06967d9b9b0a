import type { QueryConfig } from 'pg'
import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import { dayBegin } from '../../db/day-begin.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import {
  type AskedJobs,
  askedJobs,
  closeJobWindow,
  type JobsFilter,
  namesIn,
  readerOf,
  requireFilter,
} from '../list/jobs-filter.ts'
import { refuseWords } from '../list/search-words.ts'
import type { JobGroup } from '../list/stats-request.ts'
import { refuseUnknownZone, requireTimeZone } from '../list/time-zone.ts'
import { merged, type Percentiles, percentilesOf, totalOf } from '../rollup/histogram.ts'
import { hasAllEvents, isRolledUp } from '../rollup/rollup-source.ts'
import {
  eventSeriesQuery,
  type GroupedRow,
  groupedSeriesQuery,
  hourOf,
  isHour,
  type Series,
  type SeriesEvent,
  type SeriesRow,
  seriesQuery,
} from './series-query.ts'

/** Days have 23 to 25 hours. */
const SERIES_STEPS = ['minute', 'five_minutes', 'quarter_hour', 'hour', 'six_hours', 'day'] as const
export type SeriesStep = (typeof SERIES_STEPS)[number]

const SECONDS: Readonly<Record<SeriesStep, number>> = {
  minute: 60,
  five_minutes: 300,
  quarter_hour: 900,
  hour: 3600,
  six_hours: 21_600,
  day: 86_400,
}
const MAX_STEPS = 10_000
const FIRST_DAY = `date_trunc('day', $1::timestamptz at time zone $3)`
/** As many as a chart can show. */
export const MAX_SERIES_GROUPS = 20
const TIMES: ReadonlySet<JobGroup> = new Set(['hour', 'day'])

interface JobSeriesInput extends AskedJobs {
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly step: SeriesStep
  readonly timeZone?: string | null | undefined
  readonly filter?: JobsFilter | null | undefined
  readonly groupBy?: readonly JobGroup[] | null | undefined
  readonly withPoints: boolean
  readonly withAudio: boolean
  readonly withCharacters: boolean
}

/** Percentiles are within 4.5 %. */
export interface JobPoint {
  readonly at: Date
  readonly accepted: number
  readonly completed: number
  readonly failed: number
  readonly waiting: number
  /** By start, from acceptance; null without any. */
  readonly waitMs: Percentiles | null
  /** By end, from start; null without any. */
  readonly runMs: Percentiles | null
  readonly audioSeconds: number
  /** By acceptance, as `jobStats` counts them; characters as well. */
  readonly credits: number
  readonly characters: number
  /** Run time per second of audio. */
  readonly realTimeFactor: number | null
}

export interface JobSeries {
  /** Longer than asked for, if there were more than 10,000 points. */
  readonly step: SeriesStep
  /** Empty unless asked for. */
  readonly points: readonly JobPoint[]
  /** Those with most jobs; null without `groupBy`. */
  readonly groups: readonly JobSeriesGroup[] | null
  readonly hasMoreGroups: boolean
}

export interface JobSeriesGroup {
  /** By dimension; a dimension that was not asked for is absent. */
  readonly dimensions: Partial<Record<JobGroup, string | null>>
  readonly points: readonly JobPoint[]
}

interface SeriesWindow {
  readonly from: Date
  readonly to: Date
  readonly step: SeriesStep
  readonly timeZone: string
}

interface Steps {
  readonly step: SeriesStep
  /** Ascending; the first contains the window's beginning. */
  readonly starts: readonly Date[]
}

/**
 * Jobs by steps of time, of one account or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED
 */
export async function jobSeries(ctx: Context, input: JobSeriesInput): Promise<JobSeries> {
  const owner = await askedJobs(ctx, input)
  const filter = input.filter ?? {}
  requireFilter(ctx, filter)
  refuseWords(filter, 'Search by words in `jobs`: a series counts all jobs of a time.')
  const groupBy = [...new Set(input.groupBy ?? [])]
  if (groupBy.some((group) => TIMES.has(group))) throw refuse('/groupBy', 'must not name HOUR or DAY: see step')
  await closeJobWindow(ctx, owner, { createdAt: { to: input.to }, and: [filter] })
  const { from, step: asked, withPoints, withAudio, withCharacters } = input
  const to = input.to ?? ctx.now()
  const { step, starts } = await stepsOf(ctx, { from, to, step: asked, timeZone: input.timeZone ?? 'UTC' })
  const series: Series = { owner, starts, to, filter, withAudio, withCharacters }
  const points = withPoints ? toPoints(starts, await readSteps(ctx, series)) : []
  return { step, points, ...(await readGroups(ctx, series, groupBy)) }
}

async function readGroups(
  ctx: Context,
  series: Series,
  groupBy: readonly JobGroup[],
): Promise<Pick<JobSeries, 'groups' | 'hasMoreGroups'>> {
  if (groupBy.length === 0) return { groups: null, hasMoreGroups: false }
  const query = groupedSeriesQuery(series, groupBy, MAX_SERIES_GROUPS)
  const { rows } = await longScan<GroupedRow>(ctx.db, readerOf(series.owner), query)
  const groups = [...Map.groupBy(rows, ({ group }) => group)].map(([group, own]) => {
    const values = JSON.parse(group) as (string | null)[]
    const dimensions = Object.fromEntries(groupBy.map((name, index) => [name, values[index] ?? null]))
    return { dimensions, points: toPoints(series.starts, own) }
  })
  return { groups, hasMoreGroups: (rows[0]?.groups ?? 0) > MAX_SERIES_GROUPS }
}

async function readSteps(ctx: Context, series: Series): Promise<SeriesRow[]> {
  const { owner, starts, to, filter } = series
  const readBy = isRolledUp(filter) ? longRead : longScan
  const read = async (query: QueryConfig) => (await readBy<SeriesRow>(ctx.db, readerOf(owner), query)).rows
  const isSummed = starts.every(isHour) && isRolledUp(filter) && !namesIn(filter).has('createdAt')
  if (!isSummed || !(await hasAllEvents(ctx.db))) return read(seriesQuery(series))
  // A current hour counts as whole.
  const isWhole = isHour(to) || to >= ctx.now()
  const end = isWhole ? new Date(Math.ceil(to.getTime() / HOUR_MS) * HOUR_MS) : hourOf(to)
  const rows = await read(eventSeriesQuery({ owner, starts, end, filter }))
  if (isWhole) return rows
  const last = await read(seriesQuery({ ...series, starts: [end] }))
  return [...rows, ...last.filter((row) => row.step === 1).map((row) => ({ ...row, step: starts.length }))]
}

type Events = Partial<Record<SeriesEvent, SeriesRow>>

function toPoints(starts: readonly Date[], rows: readonly SeriesRow[]): JobPoint[] {
  const [before, ...steps] = byStep(rows, starts.length)
  let waiting = (before?.accepted?.jobs ?? 0) - leftIn(before ?? {})
  return starts.map((at, index) => {
    const { accepted, completed, failed, started, dropped } = steps[index] ?? {}
    waiting += (accepted?.jobs ?? 0) - leftIn({ started, dropped })
    return {
      at,
      accepted: accepted?.jobs ?? 0,
      completed: completed?.jobs ?? 0,
      failed: failed?.jobs ?? 0,
      waiting,
      waitMs: percentilesOf(started?.pairs ?? []),
      runMs: percentilesOf(merged(completed?.pairs ?? [], failed?.pairs ?? [])),
      audioSeconds: (completed?.audioMs ?? 0) / 1000,
      credits: accepted?.credits ?? 0,
      characters: accepted?.characters ?? 0,
      realTimeFactor: completed?.audioMs ? totalOf(completed.pairs ?? []) / completed.audioMs : null,
    }
  })
}

const leftIn = ({ started, dropped }: Events): number => (started?.jobs ?? 0) + (dropped?.jobs ?? 0)

function byStep(rows: readonly SeriesRow[], steps: number): Events[] {
  const found: Events[] = Array.from({ length: steps + 1 }, () => ({}))
  for (const row of rows) {
    const events = found[row.step]
    if (events === undefined) continue
    const other = events[row.event]
    events[row.event] = other ? sumOf(row, other) : row
  }
  return found
}

const HOUR_MS = 3_600_000

const sumOf = (one: SeriesRow, other: SeriesRow): SeriesRow => ({
  ...one,
  jobs: one.jobs + other.jobs,
  audioMs: one.audioMs + other.audioMs,
  credits: one.credits + other.credits,
  characters: one.characters + other.characters,
  pairs: merged(one.pairs ?? [], other.pairs ?? []),
})

/**
 * Upper bound for any arguments.
 * @param now its end unless given
 */
export function mostSteps({ from, to, step }: Readonly<Record<string, unknown>>, now: Date): number {
  const timeOf = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : Number.NaN)
  const [begin, end] = [timeOf(from), to == null ? now.getTime() : timeOf(to)]
  const name = SERIES_STEPS.find((one) => typeof step === 'string' && one === step.toLowerCase())
  const seconds = name === undefined ? Number.NaN : SECONDS[name]
  const steps = (end - begin) / 1000 / seconds
  return steps >= 0 && steps < MAX_STEPS ? Math.ceil(steps) + 1 : MAX_STEPS
}

/** @throws INVALID_REQUEST */
export async function stepsOf({ db }: Pick<Context, 'db'>, window: SeriesWindow): Promise<Steps> {
  rejectViolations(window)
  const { from, to, timeZone } = window
  const step = coarseEnough(window)
  if (timeZone === 'UTC') return { step, starts: inUtc(window, SECONDS[step] * 1000) }
  const text =
    step === 'day'
      ? `select ${dayBegin('t', '$3')} as at
         from generate_series(${FIRST_DAY}, $2::timestamptz at time zone $3, '1 day') t`
      : `select at from (select make_interval(secs => $4) as step, ${dayBegin(FIRST_DAY, '$3')} as origin) s
         cross join generate_series(date_bin(s.step, $1, s.origin), $2::timestamptz, s.step) at`
  const values = [from, to, timeZone, ...(step === 'day' ? [] : [SECONDS[step]])]
  const { rows } = await db.pool.query<{ at: Date }>(text, values).catch(refuseUnknownZone)
  return { step, starts: rows.map(({ at }) => at).filter((at) => at < to) }
}

function inUtc({ from, to }: SeriesWindow, stepMs: number): Date[] {
  const first = Math.floor(from.getTime() / stepMs) * stepMs
  return Array.from(
    { length: Math.ceil((to.getTime() - first) / stepMs) },
    (_, step) => new Date(first + step * stepMs),
  )
}

function coarseEnough({ from, to, step }: SeriesWindow): SeriesStep {
  const seconds = (to.getTime() - from.getTime()) / 1000
  const found = SERIES_STEPS.slice(SERIES_STEPS.indexOf(step)).find((one) => seconds / SECONDS[one] <= MAX_STEPS)
  if (found !== undefined) return found
  throw refuse('/from', `must not be more than ${MAX_STEPS} days before to`)
}

function rejectViolations({ from, to, timeZone }: SeriesWindow): void {
  if (from >= to) throw refuse('/from', 'must be before to')
  requireTimeZone(timeZone)
}

const refuse = (path: string, message: string) =>
  invalidRequest('Invalid arguments: see `details`.', [{ path, message }])
