import type { Parts } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { deleteExpired } from '../db/lock-row.ts'
import { SESSION_KEPT_MS } from './session.ts'

/** Ends a user's sessions except `stays`, and deletes their sign-in links. @returns how many sessions */
export async function endSessions(tx: PrismaTx, userId: string, stays?: string): Promise<number> {
  await tx.signInLink.deleteMany({ where: { userId } })
  const where = { userId, ...(stays !== undefined && { id: { not: stays } }) }
  return (await tx.session.deleteMany({ where })).count
}

export async function forgetSessions({ db, now }: Pick<Parts, 'db' | 'now'>): Promise<void> {
  const at = now()
  await deleteExpired(db.pool, 'session', new Date(at.getTime() - SESSION_KEPT_MS))
  await deleteExpired(db.pool, 'sign_in_link', at)
}
