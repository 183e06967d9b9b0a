import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { type DeliveriesFilter, rejectDeliveryViolations } from '../history/deliveries-filter.ts'
import type { DeliveryView } from '../history/delivery-view.ts'
import type { DeliveryFeedContext } from './delivery-feed.ts'

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
