import { firstIdAt } from '../../values/id.ts'
import { conditionsOf } from '../list/filter-conditions.ts'
import type { JobsFilter } from '../list/jobs-filter.ts'
import type { JobsOwner } from '../list/jobs-owner.ts'

/** `dropped`: ended before a worker took it. */
export type SeriesEvent = 'accepted' | 'started' | 'dropped' | 'completed' | 'failed'

export interface SeriesRow {
  /** From 1; 0 is before the first step. */
  readonly step: number
  readonly event: SeriesEvent
  readonly jobs: number
  readonly audioMs: number
  readonly pairs: readonly number[] | null
}

export interface Series {
  readonly owner: JobsOwner
  readonly starts: readonly Date[]
  readonly to: Date
  readonly filter: JobsFilter
  readonly withAudio: boolean
}

/** PostgreSQL needs every parameter used. */
export const ownedByFirst = (owner: JobsOwner): string => (owner === null ? '$1::text is null' : 'account_id = $1')

/** As the function job_bucket, but in fast floating point. */
const bucketOf = (from: string, to: string): string =>
  `case when ${to} - ${from} < interval '1 ms' then 0
     else 1 + floor(8 / ln(2::float8) * ln(date_part('epoch', ${to} - ${from}) * 1000)) end::smallint`

const AUDIO_MS = `case when status = 'completed' then (select sum(a.duration_ms) from artifact a where a.job_id = job.id) end`

/** A job of the window is unfinished or ended after its start, so the index of ends finds it. The step after the last holds later events. */
export function seriesQuery({ owner, starts, to, filter, withAudio }: Series) {
  const values: unknown[] = [owner, [...starts, to], starts[0], firstIdAt('job', to)]
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const read = (...more: readonly string[]) =>
    `select width_bucket(created_at, $2::timestamptz[]) as accepted, width_bucket(started_at, $2::timestamptz[]) as started,
       width_bucket(completed_at, $2::timestamptz[]) as ended, status, ${bucketOf('created_at', 'started_at')} as wait,
       ${bucketOf('started_at', 'completed_at')} as run, ${withAudio ? AUDIO_MS : 'null::bigint'} as audio_ms
     from job where ${[ownedByFirst(owner), 'id < $4', ...more, ...conditions].join(' and ')}`
  const text = `
    with jobs as materialized (${read('completed_at >= $3')} union all ${read(`status in ('queued', 'processing')`)}), counted as (
      select accepted as step, 'accepted' as event, null::smallint as took, count(*) as jobs, 0 as audio_ms from jobs group by 1
      union all select started, 'started', wait, count(*), 0 from jobs where started is not null group by 1, 3
      union all select ended, 'dropped', null, count(*), 0 from jobs where started is null and ended is not null group by 1
      union all select ended, status::text, run, count(*), sum(audio_ms) from jobs where ended is not null group by 1, 2, 3
    )
    select step, event, sum(jobs)::float8 as jobs, coalesce(sum(audio_ms), 0)::float8 as "audioMs",
      array_agg(((took::bigint << 40) + jobs)::float8 order by took) filter (where took is not null) as pairs
    from counted group by 1, 2`
  return { text, values }
}
