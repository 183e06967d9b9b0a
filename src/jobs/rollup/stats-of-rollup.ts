import type { JobsOwner } from '../list/jobs-owner.ts'
import { groupColumns, type JobGroup, type JobMeasure, type JobStatsInput, MAX_GROUPS } from '../list/stats-request.ts'
import { type Breadth, breadthOf } from './event-breadth.ts'
import { packedSum } from './histogram-sum.ts'
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

/**
 * Statistics but for their percentiles, from the roll-up: exact.
 * @param withEvents whether `job_event` has all jobs: then numbers by time, type and status are read from there, summed up already
 */
export function sumsOfRollUp(owner: JobsOwner, input: JobStatsInput, withEvents: boolean) {
  const sums = [...input.measures].flatMap((measure) => {
    const [name, column] = SUMS[measure] ?? []
    return name && column ? [{ name, column: `${column} as "${measure}"` }] : []
  })
  const { groups, places, ...parts } = toParts(
    owner,
    input,
    sums.map(({ name }) => name),
    withEvents && sums.length === 0 ? breadthFor(input) : 'each',
  )
  const columns = [...columnsOf(groups), 'coalesce(sum(jobs), 0)::float8 as jobs', ...sums.map(({ column }) => column)]
  const text = `select ${columns.join(', ')} from ${parts.source} p
    ${places === '' ? '' : `group by ${places} having sum(jobs) <> 0 order by ${places}`} limit ${MAX_GROUPS + 1}`
  return { text, values: parts.values }
}

/**
 * The histogram of each group, from the roll-up, as `pairsOf` reads it: `histogram`.
 * @param withEvents whether `job_event` has all jobs: then histograms by time, type and status are read from there, summed up already
 */
export function histogramsOfRollUp(owner: JobsOwner, input: JobStatsInput, measure: Histogram, withEvents: boolean) {
  const name = HISTOGRAMS[measure]
  const breadth = withEvents ? breadthFor(input) : 'each'
  const { source, values, groups, places } = toParts(owner, input, [name], breadth)
  const sum = `sum(p.${name})`
  const text = `select ${[...columnsOf(groups), `${packedSum(sum)} as histogram`].join(', ')} from ${source} p where p.${name} <> 0
    ${places === '' ? '' : `group by ${places}`} having ${sum} <> 0`
  return { text, values }
}

function breadthFor({ filter, groupBy }: JobStatsInput): Breadth {
  const { createdAt: _time, ...others } = filter ?? {}
  return breadthOf(others, groupBy ?? [])
}

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
