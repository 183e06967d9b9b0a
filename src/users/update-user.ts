import type { UserRole } from '../access/scopes.ts'
import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { requireAnotherOwner } from './last-owner.ts'
import { managedUser, requireOperatorFor } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

export interface UserUpdate {
  readonly user: string
  readonly role: UserRole
  readonly query?: RowQuery
}

/**
 * Changes a user's role from their next request on.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for users of other accounts), INVALID_REQUEST for the last owner
 */
export async function updateUser(ctx: Context, input: UserUpdate): Promise<User> {
  const user = await managedUser(ctx, input.user)
  requireOperatorFor(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    if (input.role !== 'owner') await requireAnotherOwner(tx, user)
    await recordUserChange(tx, ctx, 'user_role_changed', user, input.role)
    return tx.user.update({
      where: { id: user.id },
      data: { role: input.role },
      select: selectOf(USER_VIEW, input.query),
    })
  })
}
