import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { JobErrorCode, JobStatus, JobType } from '../job-states.ts'
import { hasAllEvents } from '../rollup/event-breadth.ts'
import { type Percentiles, percentilesOf } from '../rollup/histogram.ts'
import { pairsOf } from '../rollup/histogram-sum.ts'
import { isRolledUp } from '../rollup/rollup-source.ts'
import { type Histogram, histogramsOfRollUp, sumsOfRollUp } from '../rollup/stats-of-rollup.ts'
import { rejectFilterViolations } from './jobs-filter.ts'
import { askedJobs, type JobsOwner, readerOf } from './jobs-owner.ts'
import { statsOfRows } from './stats-of-rows.ts'
import { type JobGroup, type JobStatsInput, MAX_GROUPS } from './stats-request.ts'

/** One group; what it is not grouped by, and what was not asked for, is null. */
export interface JobStats {
  readonly type: JobType | null
  readonly status: JobStatus | null
  readonly endpointKey: string | null
  readonly apiKeyId: string | null
  readonly errorCode: JobErrorCode | null
  readonly hour: Date | null
  readonly day: Date | null
  readonly jobs: number
  readonly characters: number | null
  readonly audioSeconds: number | null
  readonly credits: number | null
  /** Within 4.5 % of the exact ones where more than EXACT_JOBS jobs match, else exact. */
  readonly waitMs: Percentiles | null
  readonly runMs: Percentiles | null
}

/** So many are sorted in some ten milliseconds. */
const EXACT_JOBS = 10_000

type Groups = Partial<Record<JobGroup, string | Date | null>>
type Row = Groups &
  Partial<Record<Histogram, number[] | null>> &
  Partial<Record<'characters' | 'audioSeconds' | 'credits', number>> & { jobs: number }

/**
 * How many of an account's jobs match, the caller's own unless the operator names another, or all, and what they took, group by group. Only the measures that are asked for are computed. Credits
 * are those that were kept: a failed job's are refunded. Whatever the roll-up knows comes from there, however many jobs there are; a filter
 * by prefix, duration or end has them read one by one.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, INVALID_REQUEST (also for more than 10,000 groups), RATE_LIMITED
 */
export async function jobStats(ctx: Context, input: JobStatsInput): Promise<JobStats[]> {
  const owner = await askedJobs(ctx, input)
  rejectFilterViolations(input.filter ?? {})
  return isRolledUp(input.filter ?? {}) ? readRollUp(ctx, owner, input) : readRows(ctx, owner, input)
}

async function readRows(ctx: Context, owner: JobsOwner, input: JobStatsInput): Promise<JobStats[]> {
  const { rows } = await longRead<Row>(ctx.db, readerOf(owner), statsOfRows(owner, input))
  rejectTooMany(rows)
  const exact = (values?: readonly number[] | null) => toPercentiles(values ?? [])
  return rows.map((row) => toStats(row, { waitMs: exact(row.waitMs), runMs: exact(row.runMs) }))
}

async function readRollUp(ctx: Context, owner: JobsOwner, input: JobStatsInput): Promise<JobStats[]> {
  const withEvents = await hasAllEvents(ctx.db)
  const { rows } = await longRead<Row>(ctx.db, readerOf(owner), sumsOfRollUp(owner, input, withEvents))
  rejectTooMany(rows)
  const distributions = (['waitMs', 'runMs'] as const).filter((measure) => input.measures.has(measure))
  const jobs = rows.reduce((sum, row) => sum + row.jobs, 0)
  if (distributions.length > 0 && jobs <= EXACT_JOBS) return readRows(ctx, owner, input)
  const found = new Map<string, Percentiles | null>()
  const keyOf = (measure: Histogram, row: Groups) =>
    JSON.stringify([measure, ...(input.groupBy ?? []).map((group) => row[group])])
  for (const measure of distributions) {
    const histograms = await longRead<Groups & { histogram: Buffer }>(
      ctx.db,
      readerOf(owner),
      histogramsOfRollUp(owner, input, measure, withEvents),
    )
    for (const row of histograms.rows) found.set(keyOf(measure, row), percentilesOf(pairsOf(row.histogram)))
  }
  const percentiles = (measure: Histogram, row: Row) => found.get(keyOf(measure, row)) ?? null
  return rows.map((row) => toStats(row, { waitMs: percentiles('waitMs', row), runMs: percentiles('runMs', row) }))
}

function rejectTooMany(rows: readonly Row[]): void {
  if (rows.length <= MAX_GROUPS) return
  throw invalidRequest('Group by less, or narrow the filter.', [
    { path: '/groupBy', message: `makes more than ${MAX_GROUPS} groups` },
  ])
}

const toStats = (row: Row, percentiles: Pick<JobStats, Histogram>): JobStats => ({
  type: (row.type ?? null) as JobType | null,
  status: (row.status ?? null) as JobStatus | null,
  endpointKey: (row.endpoint ?? null) as string | null,
  apiKeyId: (row.api_key ?? null) as string | null,
  errorCode: (row.error_code ?? null) as JobErrorCode | null,
  hour: (row.hour ?? null) as Date | null,
  day: (row.day ?? null) as Date | null,
  jobs: row.jobs,
  characters: row.characters ?? null,
  audioSeconds: row.audioSeconds ?? null,
  credits: row.credits ?? null,
  ...percentiles,
})

function toPercentiles([p50, p95, p99]: readonly number[]): Percentiles | null {
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 }
}
