import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { closeWindow } from '../../db/close-window.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from './deliveries-filter.ts'

export const TIMED_DELIVERIES = 10_000

export interface WebhookStats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  readonly attempts: number
  readonly medianAttemptMs: number | null
}

/**
 * Counts the account's deliveries by state and times the attempts of the newest.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED if its reads take too long
 */
export async function webhookStats(
  ctx: Context,
  { createdAt }: Pick<DeliveriesFilter, 'createdAt'>,
): Promise<WebhookStats> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectDeliveryViolations({ createdAt })
  await closeWindow(ctx, 'webhook_delivery', createdAt?.to)
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions({ createdAt }, (value) => `$${values.push(value)}`)
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
