import { requireSystem } from '../access/require.ts'
import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { endSessions } from './end-sessions.ts'
import { managedUser } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

/** Whether a user is to be an operator. */
export interface OperatorMark {
  /** Id or e-mail address. */
  readonly user: string
  readonly operator: boolean
}

/**
 * Makes a user an operator, or takes that back; from the command line alone. Their sessions and links end: what another user opened in
 * their name, with a link, must not become an operator's.
 * @throws FORBIDDEN, NOT_FOUND
 */
export async function setOperator(ctx: Context, { user, operator }: OperatorMark): Promise<User> {
  requireSystem(ctx)
  const { id } = await managedUser(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    const marked = await tx.user.update({ where: { id }, data: { operator }, select: USER_VIEW })
    await endSessions(tx, id)
    await recordUserChange(tx, ctx, operator ? 'operator_marked' : 'operator_unmarked', marked)
    return marked
  })
}
