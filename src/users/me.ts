import { ACCOUNT_VIEW, type Account } from '../accounts/account-view.ts'
import type { Context } from '../context/context.ts'
import { USER_VIEW, type User } from './user.ts'

/** The signed-in user and the account. */
export interface Me {
  readonly user: User
  readonly account: Account
}

/** null without a session: for keys, too. */
export async function me(ctx: Context): Promise<Me | null> {
  if (ctx.actor.kind !== 'session') return null
  const found = await ctx.db.prisma.user.findUnique({
    where: { id: ctx.actor.userId },
    select: { ...USER_VIEW, account: { select: ACCOUNT_VIEW } },
  })
  if (found === null) return null
  const { account, ...user } = found
  return { user, account }
}
