import type { JobsFilter } from './jobs-filter.ts'

/** By what jobs are put together. Hours and days are those of their acceptance, in UTC. */
export type JobGroup = 'type' | 'status' | 'endpoint' | 'api_key' | 'error_code' | 'hour' | 'day'

/** The figures of a group apart from its number of jobs; each costs its own time. */
export const JOB_MEASURES = ['characters', 'audioSeconds', 'credits', 'waitMs', 'runMs'] as const
/** One of them. */
export type JobMeasure = (typeof JOB_MEASURES)[number]

/** What statistics are asked for. */
export interface JobStatsInput {
  /** Id or name: for the operator alone. */
  readonly account?: string | null | undefined
  /** Of all accounts: for the operator alone. Not together with an account. */
  readonly all?: boolean | null | undefined
  readonly filter?: JobsFilter | null | undefined
  /** None: one group of all. */
  readonly groupBy?: readonly JobGroup[] | null | undefined
  readonly measures: ReadonlySet<JobMeasure>
}

/** More groups than a chart has points are refused. */
export const MAX_GROUPS = 10_000

/** The SQL that each group is grouped by. @param time the column of a row's acceptance */
export const groupColumns = (time: string): Readonly<Record<JobGroup, string>> => ({
  type: 'type',
  status: 'status',
  endpoint: 'endpoint_key',
  api_key: 'api_key_id',
  error_code: 'error_code',
  hour: beginOf('hour', time),
  day: beginOf('day', time),
})

/**
 * The SQL of the hour or day of UTC that a time is in: a fifth of what `date_trunc` takes, which looks its zone up for every row. The
 * migration describe_jobs has the same text of `created_at`, by which the planner knows how many groups it makes.
 * @param time a column
 */
export const beginOf = (span: 'hour' | 'day', time: string): string =>
  `date_bin('1 ${span}', ${time}, timestamptz '1970-01-01 00:00:00Z')`
