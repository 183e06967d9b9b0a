import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { oneOf, type Parameter } from '../../jobs/list/filter-conditions.ts'
import type { Range } from '../../jobs/list/jobs-filter.ts'
import { firstIdAt, isId } from '../../values/id.ts'
import { findUnstorable } from '../../values/storable-json.ts'
import { type DeliveryState, isOutcome, OUTCOMES } from '../delivery/webhook-delivery.ts'
import type { Delivery } from './delivery-view.ts'

/** All fields must match; a list matches any of its values; absent or null matches all. */
export interface DeliveriesFilter {
  readonly jobId?: string | null | undefined
  readonly outcome?: string | null | undefined
  readonly states?: readonly DeliveryState[] | null | undefined
  readonly outcomes?: readonly string[] | null | undefined
  readonly createdAt?: Range<Date> | null | undefined
  readonly endpointKeys?: readonly string[] | null | undefined
}

const MAX_VALUES = 50
const MAX_KEY_CHARACTERS = 200

/**
 * @param path of the filter in the arguments: '' or '/filter'
 * @throws INVALID_REQUEST with the path of each violation
 */
export function rejectDeliveryViolations(filter: DeliveriesFilter, path = ''): void {
  const { jobId, outcome, createdAt } = filter
  const details: Detail[] = []
  if (jobId != null && !isId('job', jobId)) details.push({ path: `${path}/jobId`, message: 'must be a job id' })
  if (outcome != null && !isOutcome(outcome)) details.push({ path: `${path}/outcome`, message: NO_OUTCOME })
  for (const name of ['states', 'outcomes', 'endpointKeys'] as const) {
    const message = listViolation(name, filter[name])
    if (message !== null) details.push({ path: `${path}/${name}`, message })
  }
  if (createdAt?.from && createdAt.to && createdAt.from > createdAt.to)
    details.push({ path: `${path}/createdAt`, message: 'must not begin after its end' })
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
}

const NO_OUTCOME = `must be one of ${OUTCOMES.join(', ')} or a status such as status_503`

function listViolation(name: string, values: readonly string[] | null | undefined): string | null {
  if (values == null) return null
  if (values.length === 0 || values.length > MAX_VALUES) return `must name 1 to ${MAX_VALUES}`
  if (name === 'outcomes' && !values.every(isOutcome)) return NO_OUTCOME
  if (name !== 'endpointKeys') return null
  if (values.some((key) => key.length > MAX_KEY_CHARACTERS)) return `must have at most ${MAX_KEY_CHARACTERS} characters`
  return findUnstorable([...values]) === null ? null : 'must not contain NUL or unpaired surrogates'
}

/** SQL conditions on `webhook_delivery d`; `matchesDelivery` must agree with them. */
export function deliveryConditions(filter: DeliveriesFilter, parameter: Parameter): string[] {
  const { jobId, outcome, states, outcomes, createdAt, endpointKeys } = filter
  return [
    ...(jobId != null ? [`d.job_id = ${parameter(jobId)}`] : []),
    ...(outcome != null ? [`d.outcome = ${parameter(outcome)}`] : []),
    ...(states != null ? [oneOf('d.state', states)] : []),
    ...(outcomes != null ? [`d.outcome = any(${parameter(outcomes)})`] : []),
    // `created_at` equals the id's time, so a time window is a range of ids.
    ...(createdAt?.from ? [`d.id >= ${parameter(firstIdAt('msg', createdAt.from))}`] : []),
    ...(createdAt?.to ? [`d.id < ${parameter(firstIdAt('msg', createdAt.to))}`] : []),
    ...(endpointKeys != null
      ? [`exists (select from job j where j.id = d.job_id and j.endpoint_key = any(${parameter(endpointKeys)}))`]
      : []),
  ]
}

export const isDeliveryCounted = (filter: DeliveriesFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || name === 'states')

export const matchesDelivery = (
  filter: DeliveriesFilter,
  delivery: Pick<Delivery, 'jobId' | 'outcome' | 'state' | 'createdAt'>,
  endpointKey: string | null,
): boolean =>
  (filter.jobId == null || filter.jobId === delivery.jobId) &&
  (filter.outcome == null || filter.outcome === delivery.outcome) &&
  isAmong(filter.states, delivery.state) &&
  isAmong(filter.outcomes, delivery.outcome) &&
  isAmong(filter.endpointKeys, endpointKey) &&
  (filter.createdAt?.from == null || delivery.createdAt >= filter.createdAt.from) &&
  (filter.createdAt?.to == null || delivery.createdAt < filter.createdAt.to)

const isAmong = <T>(values: readonly T[] | null | undefined, value: T | null): boolean =>
  values == null || (value !== null && values.includes(value))
