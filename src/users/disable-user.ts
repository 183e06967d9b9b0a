import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { endSessions } from './end-sessions.ts'
import { requireAnotherOwner } from './last-owner.ts'
import { managedUser, requireOperatorFor } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

/**
 * Disables a user and ends their sessions and links. Only the command line disables the last owner.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for the last owner
 */
export async function disableUser(
  ctx: Context,
  input: { readonly user: string; readonly query?: RowQuery },
): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    if (ctx.actor.kind !== 'system') await requireAnotherOwner(tx, user)
    await tx.user.updateMany({ where: { id: user.id, disabledAt: null }, data: { disabledAt: ctx.now() } })
    await endSessions(tx, user.id)
    await recordUserChange(tx, ctx, 'user_disabled', user)
    return tx.user.findUniqueOrThrow({ where: { id: user.id }, select: selectOf(USER_VIEW, input.query) })
  })
}
