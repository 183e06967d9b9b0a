import { requireSystem } from '../access/require.ts'
import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { endSessions } from './end-sessions.ts'
import { managedUser } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

export interface OperatorMark {
  readonly user: string
  readonly operator: boolean
}

/**
 * Marks an operator and ends their sessions and links, because another user may have opened them.
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
