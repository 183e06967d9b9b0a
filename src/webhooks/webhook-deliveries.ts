import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { longRead } from '../db/connections/long-read.ts'
import { idsOfAccount, newestOfEach, ofAccount } from '../db/own/own-rows.ts'
import { type Connection, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { type Detail, invalidRequest } from '../errors/service-error.ts'
import { oneOf, type Parameter, type Range } from '../jobs/list/jobs-filter.ts'
import { firstIdAt, isId } from '../values/id.ts'
import { findUnstorable } from '../values/json.ts'
import {
  codeOf,
  type DeliveryState,
  isOutcome,
  mostAttempts,
  OUTCOMES,
  type OutcomeCode,
} from './delivery/webhook-delivery.ts'

const MAX_VALUES = 50
const MAX_KEY_CHARACTERS = 200
const MAX_URL_CHARACTERS = 2048

/** Without the body, which contains signed URLs. */
export const DELIVERY_VIEW = {
  ...{ id: true, kind: true, jobId: true, url: true, state: true, outcome: true, createdAt: true, finishedAt: true },
  ...{ nextAttemptAt: true, round: true, attempt: true, accountId: true },
} as const

export const ATTEMPT_VIEW = {
  ...{ round: true, number: true, startedAt: true, durationMs: true, outcome: true, responseStatus: true },
  ...{ response: true, delivery: { select: { state: true, round: true, attempt: true } } },
} as const

export const TIMED_DELIVERIES = 10_000

export interface DeliveriesInput extends PageInput, FilterInput {
  readonly query?: RowQuery
}

/** Older callers send the fields of the filter one by one. */
export interface FilterInput extends DeliveriesFilter {
  readonly filter?: DeliveriesFilter | null | undefined
}

/** All fields must match; a list matches any of its values; absent or null matches all. */
export interface DeliveriesFilter {
  readonly jobId?: string | null | undefined
  readonly outcome?: string | null | undefined
  readonly states?: readonly DeliveryState[] | null | undefined
  readonly outcomes?: readonly string[] | null | undefined
  readonly outcomeCodes?: readonly OutcomeCode[] | null | undefined
  readonly urls?: readonly string[] | null | undefined
  /** Of the last attempt that ended. */
  readonly responseStatuses?: readonly number[] | null | undefined
  readonly createdAt?: Range<Date> | null | undefined
  readonly endpointKeys?: readonly string[] | null | undefined
}

export interface WebhookStats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  readonly attempts: number
  readonly medianAttemptMs: number | null
}

/**
 * Finds the account's deliveries by ids or jobs, newest first.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function findDeliveries(
  ctx: Context,
  by: { readonly ids: readonly string[] } | { readonly jobIds: readonly string[] },
  query?: RowQuery,
): Promise<Delivery[]> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const which = 'ids' in by ? { id: { in: [...by.ids] } } : { jobId: { in: [...by.jobIds] } }
  return readDeliveries(ctx, { accountId, ...which }, query)
}

/**
 * Lists the account's deliveries of the last 30 days, newest first.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function webhookDeliveries(ctx: Context, input: DeliveriesInput): Promise<Connection<Delivery>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { first, last, after, before, query, ...given } = input
  const shape = pageShape(input, (text) => isId('msg', text))
  const filter = oneFilter(given)
  await closeWindow(ctx, 'webhook_delivery', filter.createdAt?.to)
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    ofAccount('$1', 'd.'),
    ...(after == null ? [] : [`d.id < ${parameter(after)}`]),
    ...(before == null ? [] : [`d.id > ${parameter(before)}`]),
    ...deliveryConditions(filter, parameter),
  ]
  const text = `select d.id from webhook_delivery d where ${conditions.join(' and ')}
    order by ${idsOfAccount(shape.backwards ? 'asc' : 'desc', 'd.')} limit ${shape.size + 1}`
  const { rows } = await longRead<{ id: string }>(ctx.db, accountId, { text, values })
  const page = await readDeliveries(ctx, { id: { in: rows.map(({ id }) => id) } }, query)
  if (shape.backwards) page.reverse()
  const count = () => countDeliveries(ctx, accountId, filter)
  return toConnection(page, shape, input, { cursorOf: ({ id }) => id, nodeOf: (delivery) => delivery, count })
}

/**
 * Counts matching deliveries exactly. The caller has authorised the access and checked the filter.
 * @throws RATE_LIMITED if the account's reads take too long
 */
async function countDeliveries(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  filter: DeliveriesFilter,
): Promise<number> {
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions(filter, (value) => `$${values.push(value)}`)
  const statement = isDeliveryCounted(filter)
    ? `coalesce(sum(deliveries), 0) from webhook_delivery_count where account_id = $1
       ${filter.states == null ? '' : `and ${oneOf('state', filter.states)}`}`
    : `count(*) from webhook_delivery d where ${['d.account_id = $1', ...conditions].join(' and ')}`
  const { rows } = await longRead<{ total: string }>(db, accountId, {
    text: `select t.total::text from (select ${statement}) t (total)`,
    values,
  })
  return Number(rows[0]?.total ?? 0)
}

/** @throws INVALID_REQUEST for a filter beside one of the arguments that it replaces, or over its limits */
function oneFilter({ filter, ...flat }: FilterInput): DeliveriesFilter {
  const [beside] = Object.entries(flat).flatMap(([name, value]) => (value == null ? [] : [name]))
  if (filter != null && beside !== undefined)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: `/${beside}`, message: 'cannot stand with `filter`, which has it too' },
    ])
  rejectDeliveryViolations(filter ?? flat, filter == null ? '' : '/filter')
  return filter ?? flat
}

/**
 * @param path of the filter in the arguments: '' or '/filter'
 * @throws INVALID_REQUEST with the path of each violation
 */
export function rejectDeliveryViolations(filter: DeliveriesFilter, path = ''): void {
  const { jobId, outcome, createdAt } = filter
  const details: Detail[] = []
  if (jobId != null && !isId('job', jobId)) details.push({ path: `${path}/jobId`, message: 'must be a job id' })
  if (outcome != null && !isOutcome(outcome)) details.push({ path: `${path}/outcome`, message: NO_OUTCOME })
  for (const name of ['states', 'outcomes', 'outcomeCodes', 'urls', 'responseStatuses', 'endpointKeys'] as const) {
    const message = listViolation(name, filter[name])
    if (message !== null) details.push({ path: `${path}/${name}`, message })
  }
  if (createdAt?.from && createdAt.to && createdAt.from > createdAt.to)
    details.push({ path: `${path}/createdAt`, message: 'must not begin after its end' })
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
}

const NO_OUTCOME = `must be one of ${OUTCOMES.join(', ')} or a status such as status_503`

const isStatus = (value: string | number): boolean => Number(value) >= 100 && Number(value) <= 599

function listViolation(name: string, values: readonly (string | number)[] | null | undefined): string | null {
  if (values == null) return null
  if (values.length === 0 || values.length > MAX_VALUES) return `must name 1 to ${MAX_VALUES}`
  if (name === 'outcomes' && !values.every((value) => isOutcome(String(value)))) return NO_OUTCOME
  if (name === 'responseStatuses' && !values.every(isStatus)) return 'must be HTTP statuses, 100 to 599'
  const most = { endpointKeys: MAX_KEY_CHARACTERS, urls: MAX_URL_CHARACTERS }[name]
  if (most === undefined) return null
  if (values.some((value) => String(value).length > most)) return `must have at most ${most} characters`
  return findUnstorable([...values]) === null ? null : 'must not contain NUL or unpaired surrogates'
}

/** SQL conditions on `webhook_delivery d`; `matchesDelivery` must agree with them. */
export function deliveryConditions(filter: DeliveriesFilter, parameter: Parameter): string[] {
  const { jobId, outcome, states, outcomes, outcomeCodes, urls, responseStatuses, createdAt, endpointKeys } = filter
  return [
    ...(jobId != null ? [`d.job_id = ${parameter(jobId)}`] : []),
    ...(outcome != null ? [`d.outcome = ${parameter(outcome)}`] : []),
    ...(states != null ? [oneOf('d.state', states)] : []),
    ...(outcomes != null ? [`d.outcome = any(${parameter(outcomes)})`] : []),
    ...(outcomeCodes != null
      ? [`regexp_replace(d.outcome, '^status_.*', 'status') = any(${parameter(outcomeCodes)})`]
      : []),
    ...(urls != null ? [`d.url = any(${parameter(urls)})`] : []),
    ...(responseStatuses != null
      ? [
          `(select a.response_status from webhook_attempt a where a.delivery_id = d.id and a.round = d.round
          and a.outcome is not null order by a.number desc limit 1) = any(${parameter(responseStatuses)})`,
        ]
      : []),
    // `created_at` equals the id's time, so a time window is a range of ids.
    ...(createdAt?.from ? [`d.id >= ${parameter(firstIdAt('msg', createdAt.from))}`] : []),
    ...(createdAt?.to ? [`d.id < ${parameter(firstIdAt('msg', createdAt.to))}`] : []),
    ...(endpointKeys != null
      ? [`exists (select from job j where j.id = d.job_id and j.endpoint_key = any(${parameter(endpointKeys)}))`]
      : []),
  ]
}

const isDeliveryCounted = (filter: DeliveriesFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value == null || name === 'states')

export const matchesDelivery = (
  filter: DeliveriesFilter,
  delivery: Pick<Delivery, 'jobId' | 'outcome' | 'state' | 'createdAt' | 'url' | 'round' | 'attempts'>,
  endpointKey: string | null,
): boolean =>
  (filter.jobId == null || filter.jobId === delivery.jobId) &&
  (filter.outcome == null || filter.outcome === delivery.outcome) &&
  isAmong(filter.states, delivery.state) &&
  isAmong(filter.outcomes, delivery.outcome) &&
  isAmong(filter.outcomeCodes, delivery.outcome === null ? null : codeOf(delivery.outcome)) &&
  isAmong(filter.urls, delivery.url) &&
  isAmong(filter.responseStatuses, lastStatusOf(delivery)) &&
  isAmong(filter.endpointKeys, endpointKey) &&
  (filter.createdAt?.from == null || delivery.createdAt >= filter.createdAt.from) &&
  (filter.createdAt?.to == null || delivery.createdAt < filter.createdAt.to)

const lastStatusOf = ({ attempts, round }: Pick<Delivery, 'round' | 'attempts'>): number | null =>
  attempts.findLast((one) => one.round === round && one.outcome !== null)?.responseStatus ?? null

const isAmong = <T>(values: readonly T[] | null | undefined, value: T | null): boolean =>
  values == null || (value !== null && values.includes(value))

export const oldestFirst = () => ({ orderBy: [{ round: 'asc' as const }, { number: 'asc' as const }] })

const WITH_ATTEMPTS = { ...DELIVERY_VIEW, attempts: { select: ATTEMPT_VIEW, ...oldestFirst() } }

export type Delivery = Prisma.WebhookDeliveryGetPayload<{ select: typeof WITH_ATTEMPTS }>
type Attempt = Delivery['attempts'][number]

/** Reads matching deliveries with their attempts, newest first. The caller authorises. */
export async function readDeliveries(
  { db }: Pick<Context, 'db'>,
  where: Prisma.WebhookDeliveryWhereInput,
  query?: RowQuery,
): Promise<Delivery[]> {
  const select = selectOf(WITH_ATTEMPTS, query)
  return db.prisma.webhookDelivery.findMany({ where, orderBy: { id: 'desc' }, select })
}

/** The newest deliveries of each account, newest first. The caller authorises. */
export const newestDeliveries = (
  { db }: Pick<Context, 'db'>,
  accountIds: readonly string[],
  query?: RowQuery,
): Promise<Map<string, Delivery[]>> =>
  newestOfEach(accountIds, (page) =>
    db.prisma.webhookDelivery.findMany({ ...page, select: selectOf(WITH_ATTEMPTS, query) }),
  )

/** null unless it waits for another attempt */
export const nextAttemptOf = (
  { state, attempt, nextAttemptAt }: Pick<Delivery, 'state' | 'attempt' | 'nextAttemptAt'>,
  { settings }: Pick<Context, 'settings'>,
): Date | null => (state === 'pending' && attempt < mostAttempts(settings.webhookRetryDelays) ? nextAttemptAt : null)

/** null while the attempt runs */
export const outcomeOf = (attempt: Omit<Attempt, 'response'>): string | null =>
  attempt.outcome ?? (isOver(attempt) ? 'interrupted' : null)

/** An attempt without an outcome is over if its process died. */
const isOver = ({ round, number, delivery }: Omit<Attempt, 'response'>): boolean =>
  delivery.state !== 'pending' || round < delivery.round || number < delivery.attempt

export const responseOf = ({ response }: Pick<Attempt, 'response'>): string | null =>
  response === null ? null : Buffer.from(response).toString('utf8')

/** A delivery as callers see it outside of GraphQL. `number` counts from 1 in its round. */
export function viewOf(delivery: Delivery, parts: Pick<Context, 'settings'>) {
  const { id, kind, jobId, url, state, outcome, createdAt, finishedAt } = delivery
  return {
    ...{ id, kind, jobId, url, state, outcome, createdAt, finishedAt },
    nextAttemptAt: nextAttemptOf(delivery, parts),
    attempts: delivery.attempts.map((attempt) => {
      const { round, number, startedAt, durationMs, responseStatus } = attempt
      const [ended, response] = [outcomeOf(attempt), responseOf(attempt)]
      return { round, number, startedAt, durationMs, outcome: ended, responseStatus, response }
    }),
  }
}

export type DeliveryView = ReturnType<typeof viewOf>

/**
 * Counts the account's deliveries by state and times the attempts of the newest.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function webhookStats(ctx: Context, input: FilterInput): Promise<WebhookStats> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const filter = oneFilter(input)
  await closeWindow(ctx, 'webhook_delivery', filter.createdAt?.to)
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions(filter, (value) => `$${values.push(value)}`)
  const deliveries = `from webhook_delivery d where ${[ofAccount('$1', 'd.'), ...conditions].join(' and ')}`
  // `offset 0` makes the planner find attempts by delivery instead of reading those of all accounts.
  const text = `select d.*, a.* from (select ${['pending', 'succeeded', 'failed'].map(countOf).join(', ')} ${deliveries}) d,
    (select count(a.duration_ms)::int as attempts, percentile_cont(0.5) within group (order by a.duration_ms) as "medianAttemptMs"
      from (select d.id ${deliveries} order by ${idsOfAccount('desc', 'd.')} limit ${TIMED_DELIVERIES}) n
      cross join lateral (select duration_ms from webhook_attempt where delivery_id = n.id offset 0) a) a`
  const { rows } = await longRead<WebhookStats>(ctx.db, accountId, { text, values })
  return rows[0] as WebhookStats
}

const countOf = (state: string): string => `count(*) filter (where d.state = '${state}')::int as ${state}`
