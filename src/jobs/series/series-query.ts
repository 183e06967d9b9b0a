import { firstIdAt } from '../../values/id.ts'
import { conditionsOf } from '../list/filter-conditions.ts'
import type { JobsFilter } from '../list/jobs-filter.ts'

/** What happens to jobs; `dropped`: one ended that no worker had taken. */
export type SeriesEvent = 'accepted' | 'started' | 'dropped' | 'completed' | 'failed'

/** What happened in one step. */
export interface SeriesRow {
  /** 1 is the first step, 0 what was before it. */
  readonly step: number
  readonly event: SeriesEvent
  readonly jobs: number
  readonly audioMs: number
  /** A histogram, as `percentilesOf` reads it: of the waits of started jobs, of the runs of ended ones. */
  readonly pairs: readonly number[] | null
}

interface Series {
  readonly accountId: string
  readonly starts: readonly Date[]
  readonly to: Date
  readonly filter: JobsFilter
  /** Of completed jobs; it takes a look at each one's outputs. */
  readonly withAudio: boolean
}

const AUDIO_MS = `case when status = 'completed' then (select sum(a.duration_ms) from artifact a where a.job_id = job.id) end`

/**
 * What happened to an account's jobs, step by step, each event by its own time. Whatever was accepted, started or ended in the window, and
 * whatever waited in it, has not ended before it: so jobs are read by the index of their ends, with the unfinished ones, each once.
 */
export function seriesQuery({ accountId, starts, to, filter, withAudio }: Series) {
  const values: unknown[] = [accountId, starts, starts[0], to, firstIdAt('job', to)]
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const read = (...more: readonly string[]) =>
    `select created_at, started_at, completed_at, status, ${withAudio ? AUDIO_MS : 'null::bigint'} as audio_ms
     from job where ${['account_id = $1', 'id < $5', ...more, ...conditions].join(' and ')}`
  const text = `
    with jobs as (${read('completed_at >= $3')} union all ${read(`status in ('queued', 'processing')`)}), counted as (
      select width_bucket(e.at, $2::timestamptz[]) as step, e.event, e.took, count(*) as jobs, sum(e.audio_ms) as audio_ms
      from jobs j cross join lateral (values
        (j.created_at, 'accepted', null::smallint, null::bigint),
        (j.started_at, 'started', job_bucket(j.started_at - j.created_at), null),
        (case when j.started_at is null then j.completed_at end, 'dropped', null, null),
        (j.completed_at, j.status::text, job_bucket(j.completed_at - j.started_at), j.audio_ms)
      ) e (at, event, took, audio_ms)
      where e.at < $4 group by 1, 2, 3
    )
    select step, event, sum(jobs)::float8 as jobs, coalesce(sum(audio_ms), 0)::float8 as "audioMs",
      array_agg(((took::bigint << 40) + jobs)::float8 order by took) filter (where took is not null) as pairs
    from counted group by 1, 2`
  return { text, values }
}
