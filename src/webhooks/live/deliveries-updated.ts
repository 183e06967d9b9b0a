import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { batched } from '../../concurrency/batched.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { checkedEveryMs } from '../../jobs/live/jobs-changed.ts'
import { type DeliveriesFilter, rejectDeliveryViolations } from '../history/deliveries-filter.ts'
import type { Delivery } from '../history/delivery-view.ts'
import type { DeliveryChange, DeliveryFeedContext } from './delivery-feed.ts'

/**
 * Streams the account's matching deliveries, pending ones first; a slow reader gets only each latest state.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function deliveriesUpdated(
  ctx: DeliveryFeedContext,
  input: { readonly filter?: DeliveriesFilter | null | undefined },
): Promise<PullStream<Delivery>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  return ctx.deliveryFeed.follow(ctx, input.filter ?? {})
}

export interface DeliveryChangesInput {
  readonly filter?: DeliveriesFilter | null | undefined
  /** Milliseconds, 100 to 60,000; 1,000 by default. */
  readonly everyMs?: number | null | undefined
}

/**
 * Streams batches of changes, including deliveries that stop matching or are deleted.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function deliveryChanges(
  ctx: DeliveryFeedContext,
  { filter, everyMs }: DeliveryChangesInput,
): Promise<PullStream<readonly DeliveryChange[]>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  rejectDeliveryViolations(filter ?? {}, '/filter')
  const every = checkedEveryMs(everyMs)
  return batched(await ctx.deliveryFeed.followChanges(ctx, filter ?? {}), every)
}
