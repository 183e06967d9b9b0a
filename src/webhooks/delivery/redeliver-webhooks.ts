import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { type Each, eachId } from '../../jobs/bulk/each-id.ts'
import { isId } from '../../values/id.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from '../history/deliveries-filter.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'

const MAX_DELIVERIES = 200
const AT_ONCE = 4

export interface Redelivery {
  readonly deliveries: number
  /** Whether more deliveries match; continue after `last`. */
  readonly more: boolean
  /** The newest delivery examined; null if none matches or the caller named ids. */
  readonly last: string | null
  readonly results: readonly Each<string>[] | null
}

export interface RedeliveryInput {
  readonly ids?: readonly string[] | null | undefined
  readonly filter?: DeliveriesFilter | null | undefined
  readonly after?: string | null | undefined
}

/**
 * Redelivers up to 200 matching deliveries, oldest first; failed ones unless the filter names states. Each id succeeds or fails alone.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function redeliverWebhooks(ctx: Context, input: RedeliveryInput): Promise<Redelivery> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  if (input.ids != null) return redeliverEach(ctx, input, input.ids)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  const filter: DeliveriesFilter = { ...input.filter, states: input.filter?.states ?? ['failed'] }
  const found = await findFinished(ctx, accountId, filter, afterOf(input))
  const ids = found.slice(0, MAX_DELIVERIES)
  const sent = await inParallel(ids, AT_ONCE, (id) => isSentAgain(ctx, id))
  const deliveries = sent.filter(Boolean).length
  return { deliveries, more: found.length > MAX_DELIVERIES, last: ids.at(-1) ?? null, results: null }
}

async function redeliverEach(ctx: Context, input: RedeliveryInput, ids: readonly string[]): Promise<Redelivery> {
  if (input.filter != null || input.after != null)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: '/ids', message: 'cannot stand with `filter` or `after`' },
    ])
  const results = await eachId(ctx, ids, (id) => redeliverWebhook(ctx, { id }))
  return { deliveries: results.filter(({ error }) => error === null).length, more: false, last: null, results }
}

function afterOf({ after }: RedeliveryInput): string | null {
  if (after == null) return null
  if (!isId('msg', after))
    throw invalidRequest('Invalid arguments: see `details`.', [{ path: '/after', message: 'must be a webhook-id' }])
  return after
}

async function findFinished(ctx: Context, accountId: string, filter: DeliveriesFilter, after: string | null) {
  const values: unknown[] = [accountId]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    ofAccount('$1', 'd.'),
    `d.state <> 'pending'`,
    ...(after === null ? [] : [`d.id > ${parameter(after)}`]),
    ...deliveryConditions(filter, parameter),
  ]
  const text = `select d.id from webhook_delivery d
    where ${conditions.join(' and ')} order by ${idsOfAccount('asc', 'd.')} limit ${MAX_DELIVERIES + 1}`
  const { rows } = await longRead<{ id: string }>(ctx.db, accountId, { text, values })
  return rows.map(({ id }) => id)
}

async function isSentAgain(ctx: Context, id: string): Promise<boolean> {
  try {
    await redeliverWebhook(ctx, { id })
    return true
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'INVALID_REQUEST' || error.code === 'NOT_FOUND')) return false
    throw error
  }
}
