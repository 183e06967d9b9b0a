import type { PrismaTx } from '../db/database.ts'
import { isNamed, unknownUser } from './managed-user.ts'
import { USER_VIEW, type User } from './user.ts'

interface UserChange {
  readonly passwordHash?: string
  /** null: may sign in. A user who is disabled already keeps the earlier time. */
  readonly disabledAt?: Date | null
}

/**
 * Changes a user, named by id or e-mail address, in one UPDATE.
 * @throws NOT_FOUND
 */
export async function changeUser(tx: PrismaTx, user: string, change: UserChange): Promise<User> {
  const named = isNamed(user)
  const where = change.disabledAt instanceof Date ? { ...named, disabledAt: null } : named
  await tx.user.updateMany({ where, data: change })
  const changed = await tx.user.findFirst({ where: named, select: USER_VIEW })
  if (changed === null) throw unknownUser(user)
  return changed
}

/**
 * Ends all of a user's sessions, but for one that is to stay, and every link that would begin another: what they hold open is closed within
 * a second. Returns how many sessions.
 */
export async function endSessions(tx: PrismaTx, userId: string, stays?: string): Promise<number> {
  await tx.signInLink.deleteMany({ where: { userId } })
  const where = { userId, ...(stays !== undefined && { id: { not: stays } }) }
  return (await tx.session.deleteMany({ where })).count
}
