import type { Parts } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { deleteExpired } from '../db/lock-row.ts'
import { SESSION_KEPT_MS } from './session.ts'

/**
 * Ends all of a user's sessions, but for one that is to stay, and every link that would begin another: what they hold open is closed within
 * a second. Returns how many sessions.
 */
export async function endSessions(tx: PrismaTx, userId: string, stays?: string): Promise<number> {
  await tx.signInLink.deleteMany({ where: { userId } })
  const where = { userId, ...(stays !== undefined && { id: { not: stays } }) }
  return (await tx.session.deleteMany({ where })).count
}

/** Deletes sessions whose cookies are gone as well, and links that sign nobody in any more, of users who never come back as of all others. */
export async function forgetSessions({ db, now }: Pick<Parts, 'db' | 'now'>): Promise<void> {
  const at = now()
  await deleteExpired(db.pool, 'session', new Date(at.getTime() - SESSION_KEPT_MS))
  await deleteExpired(db.pool, 'sign_in_link', at)
}
