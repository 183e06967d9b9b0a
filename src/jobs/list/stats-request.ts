import type { JobsFilter } from './jobs-filter.ts'

/** Hours and days of acceptance, in UTC. */
export type JobGroup = 'type' | 'status' | 'endpoint' | 'api_key' | 'error_code' | 'hour' | 'day'

export const JOB_MEASURES = ['characters', 'audioSeconds', 'credits', 'waitMs', 'runMs'] as const
export type JobMeasure = (typeof JOB_MEASURES)[number]

export interface JobStatsInput {
  readonly account?: string | null | undefined
  readonly all?: boolean | null | undefined
  readonly filter?: JobsFilter | null | undefined
  readonly groupBy?: readonly JobGroup[] | null | undefined
  readonly measures: ReadonlySet<JobMeasure>
}

export const MAX_GROUPS = 10_000

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
 * Migration describe_jobs repeats this expression for the planner's statistics.
 * @param time a column
 */
export const beginOf = (span: 'hour' | 'day', time: string): string =>
  `date_bin('1 ${span}', ${time}, timestamptz '1970-01-01 00:00:00Z')`
