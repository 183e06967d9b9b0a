import type { JobsOwner } from '../list/jobs-owner.ts'
import { groupColumns, type JobGroup, type JobMeasure, type JobStatsInput, MAX_GROUPS } from '../list/stats-request.ts'
import { type Breadth, breadthOf } from './event-breadth.ts'
import { percentilesOf } from './histogram.ts'
import { histogramTypes, packedSum } from './histogram-sum.ts'
import { rollUpSource, type Summed } from './rollup-source.ts'

const GROUP_COLUMNS = groupColumns('at')
const SUMS: Readonly<Record<JobMeasure, readonly [Summed, string]>> = {
  characters: ['characters', 'coalesce(sum(characters), 0)::float8'],
  audioSeconds: ['audio_ms', 'coalesce(sum(audio_ms), 0)::float8 / 1000'],
  credits: ['credits', 'coalesce(sum(credits), 0)::float8'],
  waitMs: ['wait', packedSum('sum(wait)')],
  runMs: ['run', packedSum('sum(run)')],
}

/** @param withEvents whether `job_event` covers all jobs */
export function statsOfRollUp(owner: JobsOwner, input: JobStatsInput, withEvents: boolean) {
  const measures = [...input.measures]
  const { source, values, groups, places } = toParts(
    owner,
    input,
    measures.map((measure) => SUMS[measure][0]),
    withEvents ? breadthFor(input) : 'each',
  )
  const columns = [
    ...columnsOf(groups),
    'coalesce(sum(jobs), 0)::float8 as jobs',
    ...measures.map((measure) => `${SUMS[measure][1]} as "${measure}"`),
  ]
  const grouped = `group by ${placesOf(inTime(groups), groups)} having sum(jobs) <> 0`
  // PostgreSQL stops before it sorts too many groups.
  const found = `select ${columns.join(', ')} from ${groups.some(isOfTime) ? inOrder(source, groups) : source} p
    ${places === '' ? '' : grouped} limit ${MAX_GROUPS + 1}`
  const text = places === '' ? found : `select * from (${found}) g order by ${places}`
  return { text, values, types: histogramTypes(percentilesOf) }
}

const isOfTime = (group: JobGroup): boolean => group === 'hour' || group === 'day'

const inTime = (groups: readonly JobGroup[]): JobGroup[] =>
  groups.toSorted((one, other) => Number(isOfTime(other)) - Number(isOfTime(one)))

/** PostgreSQL finishes one group before the next and keeps few sums. */
const inOrder = (source: string, groups: readonly JobGroup[]): string =>
  `(select * from ${source} s order by ${inTime(groups)
    .map((group) => columnOf(group, groups))
    .join(', ')})`

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
  return { source, values, groups, places: placesOf(groups, groups) }
}

const placesOf = (some: readonly JobGroup[], groups: readonly JobGroup[]): string =>
  some.map((group) => groups.indexOf(group) + 1).join(', ')
