import { requireSystem } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { changeUser, endSessions } from './change-user.ts'
import type { User } from './user.ts'

interface UserStanding {
  /** Id or e-mail address. */
  readonly user: string
  readonly disabled: boolean
}

/**
 * Keeps a user from signing in, and ends all of their sessions: what they hold open is closed within a second. Or lets them in again.
 * Both are as they are when asked twice.
 * @throws NOT_FOUND
 */
export async function disableUser(ctx: Context, { user, disabled }: UserStanding): Promise<User> {
  requireSystem(ctx)
  return ctx.db.prisma.$transaction(async (tx) => {
    const changed = await changeUser(tx, user, { disabledAt: disabled ? ctx.now() : null })
    if (disabled) await endSessions(tx, changed.id)
    return changed
  })
}
