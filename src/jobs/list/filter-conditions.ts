import { escapeLiteral } from 'pg'
import { firstIdAt } from '../../values/id.ts'
import { DURATION_MS } from '../job-shape.ts'
import type { JobsFilter } from './jobs-filter.ts'

/** Adds a value and returns its placeholder: `$2`. */
export type Parameter = (value: unknown) => string

const LAST = '\u{10ffff}'
const COUNTED: ReadonlySet<string> = new Set(['types', 'statuses', 'decision'])

/** `matchesFilter` decides the same in memory. */
export function conditionsOf(filter: JobsFilter, parameter: Parameter): string[] {
  return [
    ...classConditions(filter),
    ...textConditions(filter, parameter),
    ...idConditions(filter, parameter),
    ...rangeConditions(filter, parameter),
    ...(filter.and ?? []).map((part) => allOf(part, parameter)),
    ...(filter.or ? [`(${filter.or.map((part) => allOf(part, parameter)).join(' or ')})`] : []),
    // A negation matches rows whose condition is null.
    ...(filter.not ? [`(${allOf(filter.not, parameter)}) is not true`] : []),
  ]
}

export const isCounted = (filter: JobsFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || COUNTED.has(name))

export const counterConditions = ({ types, statuses, decision }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  ...(decision ? [oneOf('decision', [decision])] : []),
]

/** Literals let the planner use the statistics of each value. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 1
    ? `${column} = ${escapeLiteral(values[0] ?? '')}`
    : `${column} in (${[...new Set(values)].map((value) => escapeLiteral(value)).join(', ')})`

const allOf = (filter: JobsFilter, parameter: Parameter): string =>
  `(${conditionsOf(filter, parameter).join(' and ') || 'true'})`

const classConditions = ({ types, statuses, decision, errorCodes }: JobsFilter): string[] => [
  ...(types ? [oneOf('type', types)] : []),
  ...(statuses ? [oneOf('status', statuses)] : []),
  // PostgreSQL would estimate `= false` as if jobs without a verdict had one.
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

/** Ids begin with `created_at`. */
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
