import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { findUnstorable } from '../../values/storable-json.ts'
import type { JobDecision, JobErrorCode, JobStatus, JobType } from '../job-states.ts'

/** From inclusive, to exclusive. */
export interface Range<T> {
  readonly from?: T | null | undefined
  readonly to?: T | null | undefined
}

/** Fields are combined with AND, values of a list with OR; null leaves no job out. */
export interface JobsFilter {
  readonly types?: readonly JobType[] | null | undefined
  readonly statuses?: readonly JobStatus[] | null | undefined
  readonly decision?: JobDecision | null | undefined
  readonly endpointKeys?: readonly string[] | null | undefined
  readonly apiKeyIds?: readonly string[] | null | undefined
  readonly errorCodes?: readonly JobErrorCode[] | null | undefined
  readonly idPrefix?: string | null | undefined
  readonly createdAt?: Range<Date> | null | undefined
  readonly completedAt?: Range<Date> | null | undefined
  /** Milliseconds from acceptance to end. */
  readonly durationMs?: Range<number> | null | undefined
  readonly and?: readonly JobsFilter[] | null | undefined
  readonly or?: readonly JobsFilter[] | null | undefined
  readonly not?: JobsFilter | null | undefined
}

const MAX_VALUES = 50
const MAX_PARTS = 20
const MAX_TEXT_CHARACTERS = 200
export const NO_KEY_ID = 'must be a key id, such as key_01m1g5wq3ve1pbmx0h4dcf6a5r'

/** @throws INVALID_REQUEST with the path of each violation */
export function rejectFilterViolations(filter: JobsFilter, path = '/filter'): void {
  const details: Detail[] = []
  const parts = collectViolations(filter, path, details)
  if (parts > MAX_PARTS) details.push({ path, message: `must have at most ${MAX_PARTS} parts` })
  if (details.length > 0) throw invalidRequest('Send a filter within its limits.', details)
}

function collectViolations(filter: JobsFilter, path: string, details: Detail[]): number {
  for (const [name, value] of Object.entries(filter)) {
    if (name === 'and' || name === 'or' || name === 'not' || value == null) continue
    const message = violationIn(value) ?? (name === 'apiKeyIds' ? keyViolation(filter.apiKeyIds) : null)
    if (message !== null) details.push({ path: `${path}/${name}`, message })
  }
  if (filter.or?.length === 0) details.push({ path: `${path}/or`, message: 'must name at least one' })
  const inner = [
    ...(filter.and ?? []).map((part, index) => [part, `and/${index}`] as const),
    ...(filter.or ?? []).map((part, index) => [part, `or/${index}`] as const),
    ...(filter.not ? [[filter.not, 'not'] as const] : []),
  ]
  return inner.reduce((sum, [part, name]) => sum + collectViolations(part, `${path}/${name}`, details), 1)
}

function violationIn(value: unknown): string | null {
  if (typeof value === 'string') return textViolation(value)
  if (Array.isArray(value)) {
    if (value.length === 0 || value.length > MAX_VALUES) return `must name 1 to ${MAX_VALUES}`
    return value.map(textViolation).find((message) => message !== null) ?? null
  }
  const { from, to } = value as Range<Date | number>
  return from != null && to != null && from > to ? 'must not begin after its end' : null
}

const keyViolation = (ids: JobsFilter['apiKeyIds']): string | null =>
  ids?.every((id) => isId('key', id)) === false ? NO_KEY_ID : null

function textViolation(text: string): string | null {
  if ([...text].length > MAX_TEXT_CHARACTERS) return `must have at most ${MAX_TEXT_CHARACTERS} characters`
  return findUnstorable(text) === null ? null : 'must not contain NUL or unpaired surrogates'
}
