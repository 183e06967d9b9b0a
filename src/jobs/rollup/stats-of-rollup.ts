import type { JobsOwner } from '../list/jobs-owner.ts'
import { groupColumns, type JobGroup, type JobMeasure, type JobStatsInput, MAX_GROUPS } from '../list/stats-request.ts'
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

/** The histogram of each group, from the roll-up, as `percentilesOf` reads it: `pairs`. */
export function histogramsOfRollUp(owner: JobsOwner, input: JobStatsInput, measure: Histogram) {
  const name = HISTOGRAMS[measure]
  const { source, values, groups, places } = toParts(owner, input, [name])
  const names = groups.map((group) => `"${group}"`)
  const columns = [...columnsOf(groups), '(pair + (1::bigint << 39)) >> 40 as bucket', `sum(${JOBS_OF_PAIR}) as jobs`]
  const text = `
    select ${[...names, 'array_agg(((bucket << 40) + jobs)::float8 order by bucket) as pairs'].join(', ')} from (
      select ${columns.join(', ')} from ${source} p cross join lateral unnest(p.${name}) pair
      group by ${[...(places === '' ? [] : [places]), groups.length + 1].join(', ')}
    ) b where jobs <> 0 ${places === '' ? '' : `group by ${places}`}`
  return { text, values }
}

/** As the function job_histogram takes a pair apart. */
const JOBS_OF_PAIR = 'pair - ((pair + (1::bigint << 39)) >> 40 << 40)'

const columnsOf = (groups: readonly JobGroup[]): string[] =>
  groups.map((group) => {
    const isFinest = group === 'hour' || (group === 'day' && !groups.includes('hour'))
    return `${isFinest ? 'at' : GROUP_COLUMNS[group]} as "${group}"`
  })

function toParts(owner: JobsOwner, { filter, groupBy }: JobStatsInput, sums: readonly Summed[]) {
  const groups = [...new Set(groupBy ?? [])]
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const finest = groups.includes('hour') ? 'hour' : groups.includes('day') ? 'day' : 'all'
  const source = rollUpSource({ owner, filter: filter ?? {}, finest, sums, parameter })
  return { source, values, groups, places: groups.map((_group, index) => index + 1).join(', ') }
}
