import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from './deliveries-filter.ts'

/** What became of the deliveries of a time, as they are now. */
export interface WebhookStats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  /** Of these deliveries, those that have ended, whatever came of them. */
  readonly attempts: number
  /** Of these attempts, halves included; null without any. */
  readonly medianAttemptMs: number | null
}

/**
 * How many of the account's deliveries of a time there are in each state, and how long their attempts took: exact, of one moment.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function webhookStats(
  ctx: Context,
  { createdAt }: Pick<DeliveriesFilter, 'createdAt'>,
): Promise<WebhookStats> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  rejectDeliveryViolations({ createdAt })
  const values: unknown[] = [accountId]
  const conditions = deliveryConditions({ createdAt }, (value) => `$${values.push(value)}`)
  const text = `with d as (select d.id, d.state from webhook_delivery d where ${['d.account_id = $1', ...conditions].join(' and ')})
    select ${['pending', 'succeeded', 'failed'].map(countOf).join(', ')}, a.*
    from (select count(a.duration_ms)::int as attempts,
        percentile_cont(0.5) within group (order by a.duration_ms) as "medianAttemptMs"
      from webhook_attempt a join d on d.id = a.delivery_id) a`
  const { rows } = await longRead<WebhookStats>(ctx.db, accountId, { text, values })
  return rows[0] as WebhookStats
}

const countOf = (state: string): string => `(select count(*)::int from d where state = '${state}') as ${state}`
