import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { JobErrorCode, JobStatus, JobType } from '../job-states.ts'
import { hasAllEvents } from '../rollup/event-breadth.ts'
import type { Percentiles } from '../rollup/histogram.ts'
import { isRolledUp } from '../rollup/rollup-source.ts'
import { statsOfRollUp } from '../rollup/stats-of-rollup.ts'
import { closeJobWindow } from './close-job-window.ts'
import { rejectFilterViolations } from './jobs-filter.ts'
import { askedJobs, type JobsOwner, readerOf } from './jobs-owner.ts'
import { statsOfRows } from './stats-of-rows.ts'
import { type JobGroup, type JobStatsInput, MAX_GROUPS } from './stats-request.ts'

/** A field is null if it is not grouped by or not asked for. */
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
  /** Within 4.5 % if more than EXACT_JOBS jobs match, else exact. */
  readonly waitMs: Percentiles | null
  readonly runMs: Percentiles | null
}

const EXACT_JOBS = 10_000

type Row<Distribution> = Partial<Record<JobGroup, string | Date | null>> &
  Partial<Record<'waitMs' | 'runMs', Distribution | null>> &
  Partial<Record<'characters' | 'audioSeconds' | 'credits', number>> & { jobs: number }

/**
 * Statistics by group of one account or all. Refunded credits do not count.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST (also for more than 10,000 groups), RATE_LIMITED
 */
export async function jobStats(ctx: Context, input: JobStatsInput): Promise<JobStats[]> {
  const owner = await askedJobs(ctx, input)
  rejectFilterViolations(input.filter ?? {})
  await closeJobWindow(ctx, owner, input.filter)
  return isRolledUp(input.filter ?? {}) ? readRollUp(ctx, owner, input) : readRows(ctx, owner, input, longScan)
}

async function readRows(
  { db }: Context,
  owner: JobsOwner,
  input: JobStatsInput,
  read: typeof longScan,
): Promise<JobStats[]> {
  const { rows } = await read<Row<number[]>>(db, readerOf(owner), statsOfRows(owner, input))
  rejectTooMany(rows)
  return rows.map((row) => toStats(row, toPercentiles))
}

async function readRollUp(ctx: Context, owner: JobsOwner, input: JobStatsInput): Promise<JobStats[]> {
  const statement = statsOfRollUp(owner, input, await hasAllEvents(ctx.db))
  const { rows } = await longRead<Row<Percentiles>>(ctx.db, readerOf(owner), statement)
  rejectTooMany(rows)
  const jobs = rows.reduce((sum, row) => sum + row.jobs, 0)
  const isExact = !input.measures.has('waitMs') && !input.measures.has('runMs')
  if (!isExact && jobs <= EXACT_JOBS) return readRows(ctx, owner, input, longRead)
  return rows.map((row) => toStats(row, (percentiles) => percentiles))
}

function rejectTooMany(rows: readonly unknown[]): void {
  if (rows.length <= MAX_GROUPS) return
  throw invalidRequest('Group by fewer dimensions, or narrow the filter.', [
    { path: '/groupBy', message: `makes more than ${MAX_GROUPS} groups` },
  ])
}

const toStats = <Distribution>(
  row: Row<Distribution>,
  percentilesFrom: (of: Distribution) => Percentiles | null,
): JobStats => ({
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
  waitMs: row.waitMs == null ? null : percentilesFrom(row.waitMs),
  runMs: row.runMs == null ? null : percentilesFrom(row.runMs),
})

function toPercentiles([p50, p95, p99]: readonly number[]): Percentiles | null {
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 }
}
