import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { findUnstorable } from '../../values/storable-json.ts'
import type { JobDecision, JobStatus, JobType } from '../job-states.ts'
import { type JobsFilter, NO_KEY_ID } from './jobs-filter.ts'

/** A JobsFilter with one value per field, for REST and GraphQL. */
export interface FilterParameters {
  readonly type?: JobType | null | undefined
  readonly decision?: JobDecision | null | undefined
  readonly status?: readonly JobStatus[] | null | undefined
  readonly apiKeyId?: string | null | undefined
  readonly search?: string | null | undefined
  readonly from?: Date | null | undefined
  readonly to?: Date | null | undefined
}

const MAX_SEARCH_CHARACTERS = 64

export function parameterViolations({ status, search, apiKeyId, from, to }: FilterParameters): Detail[] {
  const details: Detail[] = []
  if (status?.length === 0) details.push({ path: 'status', message: 'must name at least one' })
  if ([...(search ?? '')].length > MAX_SEARCH_CHARACTERS)
    details.push({ path: 'search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` })
  if (findUnstorable(search) !== null)
    details.push({ path: 'search', message: 'must not contain NUL or unpaired surrogates' })
  if (apiKeyId != null && !isId('key', apiKeyId)) details.push({ path: 'api_key_id', message: NO_KEY_ID })
  if (from && to && from > to) details.push({ path: 'from', message: 'must not be after to' })
  return details
}

/** @throws INVALID_REQUEST */
export function rejectViolations(details: readonly Detail[]): void {
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}

export const toJobsFilter = (given: FilterParameters): JobsFilter => ({
  types: given.type ? [given.type] : null,
  statuses: given.status,
  decision: given.decision,
  apiKeyIds: given.apiKeyId ? [given.apiKeyId] : null,
  idPrefix: given.search || null,
  createdAt: given.from || given.to ? { from: given.from, to: given.to } : null,
})
