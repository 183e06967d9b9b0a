import type { QueryConfig } from 'pg'
import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import { closeJobWindow } from '../list/close-job-window.ts'
import { type JobsFilter, rejectFilterViolations } from '../list/jobs-filter.ts'
import { type AskedJobs, askedJobs, readerOf } from '../list/jobs-owner.ts'
import { hasAllEvents, namesIn } from '../rollup/event-breadth.ts'
import { merged, type Percentiles, percentilesOf, totalOf } from '../rollup/histogram.ts'
import { isRolledUp } from '../rollup/rollup-source.ts'
import { eventSeriesQuery, hourOf, isHour } from './event-series-query.ts'
import { type Series, type SeriesEvent, type SeriesRow, seriesQuery } from './series-query.ts'
import { type SeriesStep, stepsOf } from './series-steps.ts'

/** Of which jobs, when, and how finely. */
interface JobSeriesInput extends AskedJobs {
  /** The first step is the one that it lies in, whole. */
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly step: SeriesStep
  /** Whose days, `Europe/Berlin`; UTC unless given. */
  readonly timeZone?: string | null | undefined
  readonly filter?: JobsFilter | null | undefined
  /** Whether audio is asked for: where jobs are read, it takes as long as all else. */
  readonly withAudio: boolean
}

/** One step. Percentiles are within 4.5 % of the exact ones. */
export interface JobPoint {
  /** When it begins. */
  readonly at: Date
  /** Jobs that were accepted, completed and failed in it, each by its own time. */
  readonly accepted: number
  readonly completed: number
  readonly failed: number
  /** Jobs that waited for a worker at its end. */
  readonly waiting: number
  /** Of the jobs that a worker took in it, from their acceptance; null without any. A job's first start counts. */
  readonly waitMs: Percentiles | null
  /** Of the jobs that ended in it, from their start; null without any. */
  readonly runMs: Percentiles | null
  /** Of the jobs that were completed in it. */
  readonly audioSeconds: number
  /** How long these jobs ran for each second of their audio, within 4.5 %; null without audio. */
  readonly realTimeFactor: number | null
}

/** A line of points, one for each step, empty ones included. */
export interface JobSeries {
  /** A longer one than was asked for where that would make more than 10,000 points. */
  readonly step: SeriesStep
  readonly points: readonly JobPoint[]
}

/**
 * How the account's jobs that match went on over a window of time, step by step; for the operator also those of another account, or of all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function jobSeries(ctx: Context, input: JobSeriesInput): Promise<JobSeries> {
  const owner = await askedJobs(ctx, input)
  const filter = input.filter ?? {}
  rejectFilterViolations(filter)
  await closeJobWindow(ctx, owner, { createdAt: { to: input.to }, and: [filter] })
  const { from, step: asked, withAudio } = input
  const to = input.to ?? ctx.now()
  const { step, starts } = await stepsOf(ctx, { from, to, step: asked, timeZone: input.timeZone ?? 'UTC' })
  return { step, points: toPoints(starts, await readSteps(ctx, { owner, starts, to, filter, withAudio })) }
}

/** From sums by hour where the steps are whole hours and the sums know what the filter means, else from the jobs themselves. */
async function readSteps(ctx: Context, series: Series): Promise<SeriesRow[]> {
  const { owner, starts, to, filter } = series
  const readBy = isRolledUp(filter) ? longRead : longScan
  const read = async (query: QueryConfig) => (await readBy<SeriesRow>(ctx.db, readerOf(owner), query)).rows
  const isSummed = starts.every(isHour) && isRolledUp(filter) && !namesIn(filter).has('createdAt')
  if (!isSummed || !(await hasAllEvents(ctx.db))) return read(seriesQuery(series))
  // Nothing has happened yet in what is left of this hour. Of an hour that is over, jobs tell what happened before `to`.
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
  // Those that waited already when the first step began.
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
      realTimeFactor: completed?.audioMs ? totalOf(completed.pairs ?? []) / completed.audioMs : null,
    }
  })
}

const leftIn = ({ started, dropped }: Events): number => (started?.jobs ?? 0) + (dropped?.jobs ?? 0)

/** What happened before the first step, and in each of them; what came after the last one is left out. */
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
  pairs: merged(one.pairs ?? [], other.pairs ?? []),
})
