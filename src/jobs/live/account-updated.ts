import { account } from '../../accounts/account.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { AccountFeedContext } from './account-feed.ts'
import type { AccountState } from './read-account-states.ts'

/**
 * The caller's account with balance and counts, now and after changes, at most once a second.
 * @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED
 */
export async function accountUpdated(ctx: AccountFeedContext): Promise<PullStream<AccountState>> {
  await account(ctx)
  return ctx.accountFeed.follow(ctx)
}
