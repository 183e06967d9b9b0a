import { conditionsOf } from './filter-conditions.ts'
import { type JobsOwner, ownedBy } from './jobs-owner.ts'
import { groupColumns, type JobMeasure, type JobStatsInput, MAX_GROUPS } from './stats-request.ts'

const GROUP_COLUMNS = groupColumns('created_at')
/** `greatest` ignores null, so the filter leaves such jobs out. */
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

export function statsOfRows(owner: JobsOwner, { filter, groupBy, measures }: JobStatsInput) {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [...ownedBy(owner, parameter), ...conditionsOf(filter ?? {}, parameter)]
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
