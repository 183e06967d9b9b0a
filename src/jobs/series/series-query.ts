import { firstIdAt } from '../../values/id.ts'
import { conditionsOf, type JobsFilter, type JobsOwner } from '../list/jobs-filter.ts'
import { groupColumns, type JobGroup, jobsFor, UTC } from '../list/stats-request.ts'
import { histogramTypes, packedSum, sumOfBucket } from '../rollup/histogram.ts'
import { type Breadth, breadthOf } from '../rollup/rollup-source.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `dropped`: ended before a worker took it. */
export type SeriesEvent = 'accepted' | 'started' | 'dropped' | 'completed' | 'failed'

export interface SeriesRow {
  /** From 1; 0 is before the first step. */
  readonly step: number
  readonly event: SeriesEvent
  readonly jobs: number
  readonly audioMs: number
  /** The credits of accepted jobs; characters are theirs as well. */
  readonly credits: number
  readonly characters: number
  readonly pairs: readonly number[] | null
}

export interface Series {
  readonly owner: JobsOwner
  readonly starts: readonly Date[]
  readonly to: Date
  readonly filter: JobsFilter
  readonly withAudio: boolean
  readonly withCharacters: boolean
}

export interface GroupedRow extends SeriesRow {
  /** From 1, most jobs first. */
  readonly place: number
  /** A JSON array with a value for each dimension. */
  readonly group: string
  /** How many groups there are, up to one more than were asked for. */
  readonly groups: number
}

interface EventSeries {
  readonly owner: JobsOwner
  readonly starts: readonly Date[]
  readonly end: Date
  readonly filter: JobsFilter
}

interface Range {
  readonly span: 'hour' | 'day'
  readonly from: Date | null
  readonly to: Date
}

/** PostgreSQL needs every parameter used. */
const ownedByFirst = (owner: JobsOwner): string => (owner === null ? '$1::text is null' : 'account_id = $1')

/** As the function job_bucket, but in fast floating point. */
const bucketOf = (from: string, to: string): string =>
  `case when ${to} - ${from} < interval '1 ms' then 0
     else 1 + floor(8 / ln(2::float8) * ln(date_part('epoch', ${to} - ${from}) * 1000)) end::smallint`

const AUDIO_MS = `case when status = 'completed' then (select sum(a.duration_ms) from artifact a where a.job_id = job.id) end`

/** A job of the window is unfinished or ended after its start, so the index of ends finds it. The step after the last holds later events. */
export function seriesQuery(series: Series) {
  const { values, jobs } = jobsOf(series, [])
  const text = `
    with jobs as materialized (${jobs}), counted as (${countedIn('jobs where', '')})
    select step, event, ${SUMMED} from counted group by 1, 2`
  return { text, values }
}

/** The same for each of the groups with most jobs. */
export function groupedSeriesQuery(series: Series, groups: readonly JobGroup[], mostGroups: number) {
  const { values, jobs } = jobsOf(series, groups)
  const text = `
    with jobs as materialized (${jobs}), ranked as materialized (
      select dimensions, row_number() over (order by count(*) desc, dimensions) as place from jobs group by dimensions
      order by 2 limit ${mostGroups + 1}
    ), counted as (${countedIn(`jobs join ranked using (dimensions) where place <= ${mostGroups} and`, ', place')})
    select place::integer, dimensions as "group", (select count(*)::integer from ranked) as groups, step, event, ${SUMMED}
    from counted join ranked using (place) group by place, dimensions, step, event order by place`
  return { text, values }
}

const SUMMED = `sum(jobs)::float8 as jobs, coalesce(sum(audio_ms), 0)::float8 as "audioMs", coalesce(sum(credits), 0)::float8 as credits,
      coalesce(sum(characters), 0)::float8 as characters,
      array_agg(((took::bigint << 40) + jobs)::float8 order by took) filter (where took is not null) as pairs`

function jobsOf({ owner, starts, to, filter, withAudio, withCharacters }: Series, groups: readonly JobGroup[]) {
  const values: unknown[] = [owner, [...starts, to], starts[0], firstIdAt('job', to)]
  const conditions = conditionsOf(filter, (value) => `$${values.push(value)}`)
  const columns = groupColumns('created_at', UTC)
  const dimensions =
    groups.length === 0 ? '' : `, json_build_array(${groups.map((one) => columns[one]).join(', ')})::text as dimensions`
  const read = (...more: readonly string[]) =>
    `select width_bucket(created_at, $2::timestamptz[]) as accepted, width_bucket(started_at, $2::timestamptz[]) as started,
       width_bucket(completed_at, $2::timestamptz[]) as ended, status, ${bucketOf('created_at', 'started_at')} as wait,
       ${bucketOf('started_at', 'completed_at')} as run, ${withAudio ? AUDIO_MS : 'null::bigint'} as audio_ms,
       job_credits(status, cost) as credits, ${withCharacters ? 'job_characters(type, inputs)' : 'null::bigint'} as characters${dimensions}
     from ${jobsFor(groups)} where ${[ownedByFirst(owner), 'id < $4', ...more, ...conditions].join(' and ')}`
  return { values, jobs: `${read('completed_at >= $3')} union all ${read(`status in ('queued', 'processing')`)}` }
}

/** @param jobs a table expression that takes a condition @param more a further column of groups */
const countedIn = (jobs: string, more: string): string => `
      select accepted as step, 'accepted' as event, null::smallint as took, count(*) as jobs, 0 as audio_ms, sum(credits) as credits,
        sum(characters) as characters${more} from ${jobs} true group by accepted${more}
      union all select started, 'started', wait, count(*), 0, 0, 0${more} from ${jobs} started is not null group by started, wait${more}
      union all select ended, 'dropped', null, count(*), 0, 0, 0${more} from ${jobs} started is null and ended is not null group by ended${more}
      union all select ended, status::text, run, count(*), sum(audio_ms), 0, 0${more} from ${jobs} ended is not null
        group by ended, status, run${more}`

export const isHour = (time: Date): boolean => time.getTime() % HOUR_MS === 0

export const hourOf = (time: Date): Date => new Date(time.getTime() - (time.getTime() % HOUR_MS))

const dayOf = (time: Date): Date => new Date(time.getTime() - (time.getTime() % DAY_MS))

const DIMENSIONS = `type, status, endpoint_key, api_key_id, error_code,
  case decision when 'reject' then true when 'pass' then false end as is_prohibited`
const NOTED = `(values ('accepted', at, null::smallint), ('started', started, wait_bucket),
  ('dropped', case when started is null and jobs <> 0 then ended end, null), (status::text, ended, run_bucket)) v (event, time, bucket)`

/** The rows of `seriesQuery` from `job_event`, `job_rollup` and unfolded changes. */
export function eventSeriesQuery({ owner, starts, end, filter }: EventSeries) {
  const values: unknown[] = [owner, [...starts], end]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const breadth = breadthOf(filter)
  const from = starts[0] ?? end
  const within = ({ span, from, to }: Range) =>
    `${ownedByFirst(owner)} and span = '${span}' ${from ? `and at >= ${parameter(from)}` : ''} and at < ${parameter(to)}`
  const parts = [
    ...before(from).flatMap((range) => eventParts(breadth, '0', within(range))),
    ...during(starts, end).flatMap((range) =>
      eventParts(breadth, 'width_bucket(at, $2::timestamptz[])', within(range)),
    ),
    `select width_bucket(time, $2::timestamptz[]) as step, event, jobs, case event when 'completed' then audio_ms else 0 end as audio_ms,
       case event when 'accepted' then credits else 0 end as credits, case event when 'accepted' then characters else 0 end as characters,
       ${sumOfBucket('bucket', 'jobs')} as histogram, ${DIMENSIONS}
     from job_rollup_delta cross join lateral ${NOTED} where ${ownedByFirst(owner)} and in_events and time < $3`,
  ]
  // PostgreSQL finishes one sum before the next.
  const where = ['true', ...conditionsOf(filter, parameter)].join(' and ')
  const text = `
    select step, event, sum(jobs)::float8 as jobs, sum(audio_ms)::float8 as "audioMs", sum(credits)::float8 as credits,
      sum(characters)::float8 as characters, ${packedSum('sum(histogram)')} as pairs
    from (select * from (${parts.join('\n union all ')}) p where ${where} order by step, event) e group by 1, 2`
  return { text, values, types: histogramTypes((pairs) => pairs) }
}

function before(end: Date): Range[] {
  const day = dayOf(end)
  const days: Range = { span: 'day', from: null, to: day }
  return day < end ? [days, { span: 'hour', from: day, to: end }] : [days]
}

function during(starts: readonly Date[], end: Date): Range[] {
  const from = starts[0] ?? end
  const lastDay = dayOf(end)
  const isByDays = starts.every((start) => start.getTime() % DAY_MS === 0) && lastDay > from
  if (!isByDays) return [{ span: 'hour', from, to: end }]
  const days: Range = { span: 'day', from, to: lastDay }
  return lastDay < end ? [days, { span: 'hour', from: lastDay, to: end }] : [days]
}

/** `job_event` has no acceptances by all dimensions; `job_rollup` has them. */
function eventParts(breadth: Breadth, step: string, where: string): string[] {
  const histogram = `case when ${step} = 0 then 0 when kind = 'started' then wait_sum when kind in ('completed', 'failed') then run_sum else 0 end`
  const kinds = step === '0' ? `and kind in ('accepted', 'started', 'dropped')` : ''
  const events = `select ${step} as step, kind::text as event, jobs, case kind when 'completed' then audio_ms else 0 end as audio_ms, credits, characters, ${histogram} as histogram, ${DIMENSIONS}
    from job_event where ${where} and breadth = '${breadth}' ${kinds}`
  if (breadth !== 'each') return [events]
  return [
    events,
    `select ${step}, 'accepted', jobs, 0, credits, characters, 0, ${DIMENSIONS} from job_rollup where ${where}`,
  ]
}
