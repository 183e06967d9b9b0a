import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { managedUser, requireOperatorFor } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts) */
export async function enableUser(
  ctx: Context,
  input: { readonly user: string; readonly query?: RowQuery },
): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    await recordUserChange(tx, ctx, 'user_enabled', user)
    return tx.user.update({
      where: { id: user.id },
      data: { disabledAt: null },
      select: selectOf(USER_VIEW, input.query),
    })
  })
}
