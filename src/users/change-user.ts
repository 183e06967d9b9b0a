import type { PrismaTx } from '../db/database.ts'
import { ServiceError } from '../errors/service-error.ts'
import { normalEmail, USER_VIEW, type User } from './user.ts'

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
  const email = normalEmail(user)
  const named = { OR: [{ id: user }, ...(email === null ? [] : [{ email }])] }
  const where = change.disabledAt instanceof Date ? { ...named, disabledAt: null } : named
  await tx.user.updateMany({ where, data: change })
  const changed = await tx.user.findFirst({ where: named, select: USER_VIEW })
  if (changed === null)
    throw new ServiceError('NOT_FOUND', `Check the user: there is none with the id or e-mail address "${user}".`)
  return changed
}

/** Signs a user out everywhere: what they hold open is closed within a second. */
export async function endSessions(tx: PrismaTx, { id }: Pick<User, 'id'>): Promise<void> {
  await tx.session.deleteMany({ where: { userId: id } })
}
