import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from './deliveries-filter.ts'
import { redeliverWebhook } from './redeliver-webhook.ts'

const MAX_DELIVERIES = 200
/** Transactions of one request at a time. */
const AT_ONCE = 4

/** What was sent again. */
export interface Redelivery {
  /** How many deliveries. */
  readonly deliveries: number
  /** Whether others match that were not: ask again. */
  readonly more: boolean
}

/**
 * Sends finished deliveries that match again, oldest first, at most 200 of them, as `redeliverWebhook` does with one; failed ones unless
 * the filter names states. One that is under way again meanwhile is left out.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function redeliverWebhooks(
  ctx: Context,
  input: { readonly filter?: DeliveriesFilter | null | undefined },
): Promise<Redelivery> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  const filter: DeliveriesFilter = { ...input.filter, states: input.filter?.states ?? ['failed'] }
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions(filter, (value) => `$${values.push(value)}`)
  const text = `select d.id from webhook_delivery d
    where ${[ofAccount('$1', 'd.'), `d.state <> 'pending'`, ...conditions].join(' and ')} order by ${idsOfAccount('asc', 'd.')} limit ${MAX_DELIVERIES + 1}`
  const { rows } = await longRead<{ id: string }>(ctx.db, accountId, { text, values })
  const ids = rows.slice(0, MAX_DELIVERIES).map(({ id }) => id)
  let deliveries = 0
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const sent = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => isSentAgain(ctx, id)))
    deliveries += sent.filter(Boolean).length
  }
  return { deliveries, more: rows.length > MAX_DELIVERIES }
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
