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

interface JobSeriesInput extends AskedJobs {
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly step: SeriesStep
  readonly timeZone?: string | null | undefined
  readonly filter?: JobsFilter | null | undefined
  readonly withAudio: boolean
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
  /** Run time per second of audio. */
  readonly realTimeFactor: number | null
}

export interface JobSeries {
  /** Longer than asked for, if there were more than 10,000 points. */
  readonly step: SeriesStep
  readonly points: readonly JobPoint[]
}

/**
 * Jobs by steps of time, of one account or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED
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
  pairs: merged(one.pairs ?? [], other.pairs ?? []),
})
