import { account } from '../../accounts/account.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { AccountFeedContext } from './account-feed.ts'
import type { AccountState } from './read-account-states.ts'

/**
 * The caller's account with its balance and its counts of jobs and deliveries: as it is now, and whenever it changes, once a second at
 * most. Needs what `account` needs.
 * @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED
 */
export async function accountUpdated(ctx: AccountFeedContext): Promise<PullStream<AccountState>> {
  await account(ctx)
  return ctx.accountFeed.follow(ctx)
}
