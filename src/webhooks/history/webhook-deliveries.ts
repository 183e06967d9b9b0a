import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { closeWindow } from '../../db/close-window.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { type Connection, type PageInput, pageShape, toConnection } from '../../db/page.ts'
import type { RowQuery } from '../../db/row-query.ts'
import { oneOf } from '../../jobs/list/filter-conditions.ts'
import { isId } from '../../values/id.ts'
import {
  type DeliveriesFilter,
  deliveryConditions,
  isDeliveryCounted,
  rejectDeliveryViolations,
} from './deliveries-filter.ts'
import { type Delivery, readDeliveries } from './delivery-view.ts'

export interface DeliveriesInput extends PageInput, DeliveriesFilter {
  readonly query?: RowQuery
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
  const { first, last, after, before, query, ...filter } = input
  const shape = pageShape(input, (text) => isId('msg', text))
  rejectDeliveryViolations(filter)
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
  return toConnection(page, shape, input, { cursorOf: ({ id }) => id, nodeOf: (delivery) => delivery })
}

/**
 * Counts matching deliveries exactly.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function countDeliveries(ctx: Context, filter: DeliveriesFilter): Promise<number> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectDeliveryViolations(filter)
  await closeWindow(ctx, 'webhook_delivery', filter.createdAt?.to)
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions(filter, (value) => `$${values.push(value)}`)
  const statement = isDeliveryCounted(filter)
    ? `coalesce(sum(deliveries), 0) from webhook_delivery_count where account_id = $1
       ${filter.states == null ? '' : `and ${oneOf('state', filter.states)}`}`
    : `count(*) from webhook_delivery d where ${['d.account_id = $1', ...conditions].join(' and ')}`
  const { rows } = await longRead<{ total: string }>(ctx.db, accountId, {
    text: `select t.total::text from (select ${statement}) t (total)`,
    values,
  })
  return Number(rows[0]?.total ?? 0)
}
