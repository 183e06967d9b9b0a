import { requireSystem } from '../access/require.ts'
import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import { endSessions } from './end-sessions.ts'
import { managedUser } from './managed-user.ts'
import { checkPassword, hashPassword } from './password.ts'
import { USER_VIEW, type User } from './user.ts'

interface NewPassword {
  readonly user: string
  readonly password: string
}

/**
 * Sets a password and ends the user's sessions. A disabled user stays disabled.
 * @throws NOT_FOUND, INVALID_REQUEST for a bad password
 */
export async function setPassword(ctx: Context, { user, password }: NewPassword): Promise<User> {
  requireSystem(ctx)
  checkPassword(password)
  const passwordHash = await hashPassword(password)
  const { id } = await managedUser(ctx, user)
  return ctx.db.prisma.$transaction(async (tx) => {
    const changed = await tx.user.update({ where: { id }, data: { passwordHash }, select: USER_VIEW })
    await endSessions(tx, id)
    await recordUserChange(tx, ctx, 'password_set', changed)
    return changed
  })
}
