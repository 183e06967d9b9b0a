import { escapeLiteral } from 'pg'
import { firstIdAt } from '../../values/id.ts'
import { DURATION_MS } from '../job-shape.ts'
import type { JobsFilter } from './jobs-filter.ts'

/** Makes a value part of the statement, and returns what stands for it there: `$2`. */
export type Parameter = (value: unknown) => string

/** Sorts after every id that begins with what stands before it. */
const LAST = '\u{10ffff}'
/** What the counters of `job_count` distinguish. */
const COUNTED: ReadonlySet<string> = new Set(['types', 'statuses', 'decision'])

/**
 * The conditions on `job` that a filter means; `matchesFilter` means the same of a job in memory. Values that statistics do not know by
 * heart become parameters.
 */
export function conditionsOf(filter: JobsFilter, parameter: Parameter): string[] {
  return [
    ...classConditions(filter),
    ...textConditions(filter, parameter),
    ...idConditions(filter, parameter),
    ...rangeConditions(filter, parameter),
    ...(filter.and ?? []).map((part) => allOf(part, parameter)),
    ...(filter.or ? [`(${filter.or.map((part) => allOf(part, parameter)).join(' or ')})`] : []),
    // A row for which a condition is unknown does not meet it, so it meets the opposite.
    ...(filter.not ? [`(${allOf(filter.not, parameter)}) is not true`] : []),
  ]
}

/** Whether `job_count` knows how many jobs a filter means. */
export const isCounted = (filter: JobsFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || COUNTED.has(name))

/** The same conditions on `job_count`, of a filter that is counted there. */
export const counterConditions = ({ types, statuses, decision }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  ...(decision ? [oneOf('decision', [decision])] : []),
]

/** Written out rather than passed as parameters: the statistics of each value decide the plan. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 1
    ? `${column} = ${escapeLiteral(values[0] ?? '')}`
    : `${column} in (${[...new Set(values)].map((value) => escapeLiteral(value)).join(', ')})`

const allOf = (filter: JobsFilter, parameter: Parameter): string =>
  `(${conditionsOf(filter, parameter).join(' and ') || 'true'})`

const classConditions = ({ types, statuses, decision, errorCodes }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  // `= false` would be planned as if jobs without a verdict had one.
  ...(decision ? ['is_prohibited is not null', `is_prohibited is ${decision === 'reject'}`] : []),
  ...(errorCodes ? [oneOf('error_code', errorCodes)] : []),
]

function textConditions({ endpointKeys, apiKeyIds }: JobsFilter, parameter: Parameter): string[] {
  const among = (column: string, values: readonly string[]) =>
    values.length === 1 ? `${column} = ${parameter(values[0])}` : `${column} = any(${parameter(values)})`
  return [
    ...(endpointKeys ? [among('endpoint_key', endpointKeys)] : []),
    ...(apiKeyIds ? [among('api_key_id', apiKeyIds)] : []),
  ]
}

/** A job's created_at is its id's own time, so a window of time is a range of ids. */
const idConditions = ({ idPrefix, createdAt }: JobsFilter, parameter: Parameter): string[] => [
  ...(idPrefix ? [`id >= ${parameter(idPrefix)}`, `id < ${parameter(idPrefix + LAST)}`] : []),
  ...(createdAt?.from ? [`id >= ${parameter(firstIdAt('job', createdAt.from))}`] : []),
  ...(createdAt?.to ? [`id < ${parameter(firstIdAt('job', createdAt.to))}`] : []),
]

const rangeConditions = ({ completedAt, durationMs }: JobsFilter, parameter: Parameter): string[] => [
  ...(completedAt?.from ? [`completed_at >= ${parameter(completedAt.from)}`] : []),
  ...(completedAt?.to ? [`completed_at < ${parameter(completedAt.to)}`] : []),
  ...(durationMs?.from != null ? [`${DURATION_MS} >= ${parameter(durationMs.from)}`] : []),
  ...(durationMs?.to != null ? [`${DURATION_MS} < ${parameter(durationMs.to)}`] : []),
]
