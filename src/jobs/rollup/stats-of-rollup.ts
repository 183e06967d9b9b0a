import type { JobsOwner } from '../list/jobs-owner.ts'
import { groupColumns, type JobGroup, type JobMeasure, type JobStatsInput, MAX_GROUPS } from '../list/stats-request.ts'
import { type Breadth, breadthOf } from './event-breadth.ts'
import { rollUpSource, type Summed } from './rollup-source.ts'

const GROUP_COLUMNS = groupColumns('at')
const SUMS: Readonly<Partial<Record<JobMeasure, readonly [Summed, string]>>> = {
  characters: ['characters', 'coalesce(sum(characters), 0)::float8'],
  audioSeconds: ['audio_ms', 'coalesce(sum(audio_ms), 0)::float8 / 1000'],
  credits: ['credits', 'coalesce(sum(credits), 0)::float8'],
}

/** A measure that is a distribution. */
export type Histogram = 'waitMs' | 'runMs'
const HISTOGRAMS: Readonly<Record<Histogram, Summed>> = { waitMs: 'wait', runMs: 'run' }

/** Statistics but for their percentiles, from the roll-up: exact. */
export function sumsOfRollUp(owner: JobsOwner, input: JobStatsInput) {
  const sums = [...input.measures].flatMap((measure) => {
    const [name, column] = SUMS[measure] ?? []
    return name && column ? [{ name, column: `${column} as "${measure}"` }] : []
  })
  const { groups, places, ...parts } = toParts(
    owner,
    input,
    sums.map(({ name }) => name),
  )
  const columns = [...columnsOf(groups), 'coalesce(sum(jobs), 0)::float8 as jobs', ...sums.map(({ column }) => column)]
  const text = `select ${columns.join(', ')} from ${parts.source} p
    ${places === '' ? '' : `group by ${places} having sum(jobs) <> 0 order by ${places}`} limit ${MAX_GROUPS + 1}`
  return { text, values: parts.values }
}

/**
 * The histogram of each group, from the roll-up, as `percentilesOf` reads it: `pairs`.
 * @param withEvents whether `job_event` has all jobs: then histograms by time, type and status are read from there, summed up already
 */
export function histogramsOfRollUp(owner: JobsOwner, input: JobStatsInput, measure: Histogram, withEvents: boolean) {
  const name = HISTOGRAMS[measure]
  const { createdAt: _time, ...filter } = input.filter ?? {}
  const breadth = withEvents ? breadthOf(filter, input.groupBy ?? []) : 'each'
  const { source, values, groups, places } = toParts(owner, input, [name], breadth)
  const names = groups.map((group) => `"${group}"`)
  const by = (columns: readonly string[]) => (columns.length === 0 ? '' : `group by ${columns.join(', ')}`)
  // Most groups of a time, type and status are one row, which is their histogram already: only those of several are taken apart.
  const parts =
    breadth === 'each'
      ? '2'
      : `count(*) over (${places === '' ? '' : `partition by ${groups.map((group) => columnOf(group, groups)).join(', ')}`})`
  const text = `
    with summed as materialized (
      select ${[...columnsOf(groups), `p.${name} as pairs`, `${parts} as parts`].join(', ')} from ${source} p where p.${name} <> '{}'
    ), buckets as (
      select ${[...names, '(pair + (1::bigint << 39)) >> 40 as bucket', `sum((${JOBS_OF_PAIR})::float8) as jobs`].join(', ')}
      from summed cross join lateral unnest(pairs) pair where parts > 1 ${by([...names, 'bucket'])}
    )
    select ${[...names, 'pairs::float8[] as pairs'].join(', ')} from summed where parts = 1
    union all
    select ${[...names, 'array_agg(bucket::float8 * (1::bigint << 40) + jobs order by bucket)'].join(', ')}
    from buckets where jobs <> 0 ${by(names)} having count(*) > 0`
  return { text, values }
}

/** As the function job_histogram takes a pair apart. */
const JOBS_OF_PAIR = 'pair - ((pair + (1::bigint << 39)) >> 40 << 40)'

const columnsOf = (groups: readonly JobGroup[]): string[] =>
  groups.map((group) => `${columnOf(group, groups)} as "${group}"`)

function columnOf(group: JobGroup, groups: readonly JobGroup[]): string {
  const isFinest = group === 'hour' || (group === 'day' && !groups.includes('hour'))
  return isFinest ? 'at' : GROUP_COLUMNS[group]
}

function toParts(
  owner: JobsOwner,
  { filter, groupBy }: JobStatsInput,
  sums: readonly Summed[],
  breadth: Breadth = 'each',
) {
  const groups = [...new Set(groupBy ?? [])]
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const finest = groups.includes('hour') ? 'hour' : groups.includes('day') ? 'day' : 'all'
  const source = rollUpSource({ owner, filter: filter ?? {}, finest, sums, breadth, parameter })
  return { source, values, groups, places: groups.map((_group, index) => index + 1).join(', ') }
}
