import { keptQuery } from '../jobs/jobs-address.ts'
import { endsOf, wrongEnds } from '../jobs/jobs-filter.ts'
import { isEndpointKey } from '../lists/endpoint-key.ts'
import type { WebhookDeliveriesFilter, WebhookDeliveryState } from '../operations.ts'
import { rangeOf } from '../windows/time-window.ts'
import { OUTCOMES } from './outcome-words.ts'

type Query = Readonly<Record<string, string | undefined>>

export const STATES: readonly WebhookDeliveryState[] = ['PENDING', 'SUCCEEDED', 'FAILED']
/** Every parameter of the address that filters deliveries. */
export const DELIVERY_FILTERS = ['state', 'outcome', 'endpoint', 'job', 'window', 'from', 'to'] as const

const STATUS = /^status_[1-5]\d\d$/
const JOB_ID = /^job_[a-z0-9]{26}$/

/** The filter of an address. What fits no more, as from an old link, is left out and named in `dropped`. */
export function deliveriesFilterOf(
  query: Query,
  now: number,
): { filter: WebhookDeliveriesFilter; dropped: readonly string[] } {
  const dropped: string[] = []
  const fitting = (name: string, fits: (value: string) => boolean): string[] | undefined => {
    const given = listOf(query[name])
    const kept = given.filter(fits)
    if (kept.length < given.length) dropped.push(name)
    return kept.length === 0 ? undefined : kept
  }
  const states = fitting('state', (value) => stateOf(value) !== undefined)
  const parts = {
    states: states && STATES.filter((state) => states.includes(state.toLowerCase())),
    outcomes: fitting('outcome', (value) => OUTCOMES.includes(value) || STATUS.test(value)),
    endpointKeys: fitting('endpoint', isEndpointKey),
    jobId: fitting('job', (value) => JOB_ID.test(value))?.[0],
    createdAt: rangeOf(query.window, now) ?? endsOf(query),
  }
  if (query.window && rangeOf(query.window, now) === null) dropped.push('window')
  dropped.push(...wrongEnds(query))
  return { filter: Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)), dropped }
}

/** A delivery's address keeps these parameters of its list: `?state=failed`; empty without filters. */
export const deliveriesAddress = (query: Query): string => keptQuery(query, DELIVERY_FILTERS)

/** Tells if a filter includes failed deliveries: only these can be sent again together. */
export const hasFailed = ({ states }: WebhookDeliveriesFilter): boolean => states?.includes('FAILED') ?? true

const stateOf = (text: string): WebhookDeliveryState | undefined => STATES.find((state) => state.toLowerCase() === text)

/** Comma lists; lower case, as addresses are written by hand. */
const listOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
