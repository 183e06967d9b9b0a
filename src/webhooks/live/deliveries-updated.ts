import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { batched } from '../../concurrency/batched.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { checkedEveryMs } from '../../jobs/live/jobs-changed.ts'
import { type DeliveriesFilter, rejectDeliveryViolations } from '../history/deliveries-filter.ts'
import type { DeliveryView } from '../history/delivery-view.ts'
import type { DeliveryChange, DeliveryFeedContext } from './delivery-feed.ts'

/**
 * The account's webhook deliveries that match, whenever they change; first of all the pending ones as they are now. A reader that is slow
 * gets the latest state of each.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function deliveriesUpdated(
  ctx: DeliveryFeedContext,
  input: { readonly filter?: DeliveriesFilter | null | undefined },
): Promise<PullStream<DeliveryView>> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  rejectDeliveryViolations(input.filter ?? {}, '/filter')
  return ctx.deliveryFeed.follow(ctx, input.filter ?? {})
}

/** Which deliveries, and how often at most. */
export interface DeliveryChangesInput {
  readonly filter?: DeliveriesFilter | null | undefined
  /** 100 to 60,000; 1,000 unless given. */
  readonly everyMs?: number | null | undefined
}

/**
 * The same, many together, and which deliveries are none of them any more: those that do not match any more, and those that were deleted.
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
