import { escapeLiteral } from 'pg'
import { dayBegin } from '../../db/day-begin.ts'
import type { JobsFilter } from './jobs-filter.ts'

/** Hours and days of acceptance. A job counts in each of its tags. */
export type JobGroup =
  | 'type'
  | 'status'
  | 'endpoint'
  | 'api_key'
  | 'error_code'
  | 'voice'
  | 'language'
  | 'user'
  | 'tag'
  | 'hour'
  | 'day'

export const JOB_MEASURES = ['characters', 'audioSeconds', 'credits', 'waitMs', 'runMs'] as const
export type JobMeasure = (typeof JOB_MEASURES)[number]

export interface JobStatsInput {
  readonly account?: string | null | undefined
  readonly all?: boolean | null | undefined
  readonly filter?: JobsFilter | null | undefined
  readonly groupBy?: readonly JobGroup[] | null | undefined
  readonly measures: ReadonlySet<JobMeasure>
  /** Of hours and days; UTC unless given. */
  readonly timeZone?: string | null | undefined
}

export const MAX_GROUPS = 10_000
export const UTC = 'UTC'

/** Only jobs themselves have these. */
export const GROUPS_OF_ROWS: ReadonlySet<JobGroup> = new Set(['voice', 'language', 'user', 'tag'])

/** Table expression of jobs; a job is a row for each of its tags, and one row without tags. */
export const jobsFor = (groups: readonly JobGroup[]): string =>
  groups.includes('tag') ? 'job left join lateral unnest(tags) as each_tag (tag) on true' : 'job'

/** @param time a column */
export const groupColumns = (time: string, timeZone: string): Readonly<Record<JobGroup, string>> => ({
  type: 'type',
  status: 'status',
  endpoint: 'endpoint_key',
  api_key: 'api_key_id',
  error_code: 'error_code',
  voice: 'voice',
  language: 'language',
  user: 'user_id',
  tag: 'tag',
  hour: beginIn(timeZone, 'hour', time),
  day: beginIn(timeZone, 'day', time),
})

/** A column of groups as the answer has it. PostgreSQL computes it once for each group. */
export const shownGroup = (group: JobGroup, column: string, timeZone: string): string =>
  group === 'day' && timeZone !== UTC
    ? dayBegin(`${column} at time zone ${escapeLiteral(timeZone)}`, escapeLiteral(timeZone))
    : column

const beginIn = (timeZone: string, span: 'hour' | 'day', time: string): string =>
  timeZone === UTC ? beginOf(span, time) : `date_trunc('${span}', ${time}, ${escapeLiteral(timeZone)})`

/**
 * Migration describe_jobs repeats this expression for the planner's statistics.
 * @param time a column
 */
export const beginOf = (span: 'hour' | 'day', time: string): string =>
  `date_bin('1 ${span}', ${time}, timestamptz '1970-01-01 00:00:00Z')`
