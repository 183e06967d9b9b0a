import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from './deliveries-filter.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'

const MAX_DELIVERIES = 200
/** Transactions of one request at a time. */
const AT_ONCE = 4

/** What was sent again. */
export interface Redelivery {
  /** How many deliveries. */
  readonly deliveries: number
  /** Whether others match that were not: ask again, behind the last one. */
  readonly more: boolean
  /** The newest of those that were looked at, sent or left out; null where none matches. */
  readonly last: string | null
}

/** Which deliveries. */
export interface RedeliveryInput {
  readonly filter?: DeliveriesFilter | null | undefined
  /** Only those behind this one, `last` of the answer before: what was sent again may match again. */
  readonly after?: string | null | undefined
}

/**
 * Sends finished deliveries that match again, oldest first, at most 200 of them, as `redeliverWebhook` does with one; failed ones unless
 * the filter names states. One that is under way again meanwhile is left out.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function redeliverWebhooks(ctx: Context, input: RedeliveryInput): Promise<Redelivery> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  const filter: DeliveriesFilter = { ...input.filter, states: input.filter?.states ?? ['failed'] }
  const found = await findFinished(ctx, accountId, filter, afterOf(input))
  const ids = found.slice(0, MAX_DELIVERIES)
  let deliveries = 0
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const sent = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => isSentAgain(ctx, id)))
    deliveries += sent.filter(Boolean).length
  }
  return { deliveries, more: found.length > MAX_DELIVERIES, last: ids.at(-1) ?? null }
}

function afterOf({ after }: RedeliveryInput): string | null {
  if (after == null) return null
  if (!isId('msg', after))
    throw invalidRequest('Invalid arguments: see `details`.', [{ path: '/after', message: 'must be a webhook-id' }])
  return after
}

/** One more than are sent: then there are more. */
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
