import { requireOperator } from '../access/require.ts'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { FleetContext } from '../jobs/live/fleet-feed.ts'
import { checkedEveryMs } from '../jobs/live/jobs-changed.ts'
import type { FleetState } from '../jobs/live/read-fleet.ts'

interface Following {
  /** Milliseconds between two messages, 100 to 60,000; 1,000 by default. */
  readonly everyMs?: number | null | undefined
}

/** @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED */
export async function poolsUpdated(ctx: FleetContext, input: Following): Promise<PullStream<FleetState>> {
  requireOperator(ctx)
  return ctx.fleetFeed.follow(ctx, checkedEveryMs(input.everyMs))
}

/** @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED */
export async function workersUpdated(ctx: FleetContext, input: Following): Promise<PullStream<FleetState>> {
  requireOperator(ctx)
  return ctx.fleetFeed.follow(ctx, checkedEveryMs(input.everyMs))
}
