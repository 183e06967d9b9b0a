import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { JobErrorCode, JobStatus, JobType } from '../job-states.ts'
import { conditionsOf } from './filter-conditions.ts'
import { type JobsFilter, rejectFilterViolations } from './jobs-filter.ts'

/** By what jobs are put together. Hours and days are those of their acceptance, in UTC. */
export type JobGroup = 'type' | 'status' | 'endpoint' | 'api_key' | 'error_code' | 'hour' | 'day'

/** The figures of a group apart from its number of jobs; each costs its own time. */
export const JOB_MEASURES = ['characters', 'audioSeconds', 'credits', 'waitMs', 'runMs'] as const
type JobMeasure = (typeof JOB_MEASURES)[number]

interface JobStatsInput {
  readonly filter?: JobsFilter | null | undefined
  /** None: one group of all. */
  readonly groupBy?: readonly JobGroup[] | null | undefined
  readonly measures: ReadonlySet<JobMeasure>
}

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

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
  readonly waitMs: Percentiles | null
  readonly runMs: Percentiles | null
}

/** More groups than a chart has points are refused. */
const MAX_GROUPS = 10_000
const truncated = (unit: string) => `date_trunc('${unit}', created_at at time zone 'UTC') at time zone 'UTC'`
const GROUP_COLUMNS: Readonly<Record<JobGroup, string>> = {
  type: 'type',
  status: 'status',
  endpoint: 'endpoint_key',
  api_key: 'api_key_id',
  error_code: 'error_code',
  hour: truncated('hour'),
  day: truncated('day'),
}
/** Of the jobs that have both: to `greatest`, null would be zero. */
const percentiles = (from: string, to: string): string =>
  `percentile_cont(array[0.5, 0.95, 0.99]) within group (order by greatest(0, extract(epoch from ${to} - ${from}) * 1000)::float8)
    filter (where ${to} - ${from} is not null)`
const MEASURE_COLUMNS: Readonly<Record<JobMeasure, string>> = {
  characters: `coalesce(sum(char_length(inputs->>'text')) filter (where type = 'voice'), 0)::float8`,
  audioSeconds: `coalesce(sum((select sum(a.duration_ms) from artifact a where a.job_id = job.id)), 0)::float8 / 1000`,
  credits: `coalesce(sum(cost) filter (where status <> 'failed'), 0)::float8`,
  waitMs: percentiles('created_at', 'started_at'),
  runMs: percentiles('started_at', 'completed_at'),
}

type Row = Partial<Record<JobGroup, string | Date | null>> &
  Partial<Record<'waitMs' | 'runMs', number[] | null>> &
  Partial<Record<'characters' | 'audioSeconds' | 'credits', number>> & { jobs: number }

/**
 * How many of the account's jobs match, and what they took, group by group. Only the measures that are asked for are computed. Credits
 * are those that were kept: a failed job's are refunded.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (also for more than 10,000 groups), RATE_LIMITED
 */
export async function jobStats(ctx: Context, input: JobStatsInput): Promise<JobStats[]> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectFilterViolations(input.filter ?? {})
  const { rows } = await longRead<Row>(ctx.db, accountId, toStatement(accountId, input))
  if (rows.length > MAX_GROUPS) {
    throw invalidRequest('Group by less, or narrow the filter.', [
      { path: '/groupBy', message: `makes more than ${MAX_GROUPS} groups` },
    ])
  }
  return rows.map(toStats)
}

/** The window of time goes over an index; the groups come in the order of `groupBy`. */
function toStatement(accountId: string, { filter, groupBy, measures }: JobStatsInput) {
  const values: unknown[] = [accountId]
  const conditions = ['account_id = $1', ...conditionsOf(filter ?? {}, (value) => `$${values.push(value)}`)]
  const groups = [...new Set(groupBy ?? [])]
  const columns = [
    ...groups.map((group) => `${GROUP_COLUMNS[group]} as "${group}"`),
    'count(*)::float8 as jobs',
    ...[...measures].map((measure) => `${MEASURE_COLUMNS[measure]} as "${measure}"`),
  ]
  const places = groups.map((_group, index) => index + 1).join(', ')
  const text = `select ${columns.join(', ')} from job where ${conditions.join(' and ')}
    ${places === '' ? '' : `group by ${places} order by ${places}`} limit ${MAX_GROUPS + 1}`
  return { text, values }
}

const toStats = (row: Row): JobStats => ({
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
  waitMs: toPercentiles(row.waitMs),
  runMs: toPercentiles(row.runMs),
})

function toPercentiles(values: readonly number[] | null | undefined): Percentiles | null {
  const [p50, p95, p99] = values ?? []
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 }
}
