import type { PrismaTx } from '../db/database.ts'

/**
 * Ends all of a user's sessions, but for one that is to stay, and every link that would begin another: what they hold open is closed within
 * a second. Returns how many sessions.
 */
export async function endSessions(tx: PrismaTx, userId: string, stays?: string): Promise<number> {
  await tx.signInLink.deleteMany({ where: { userId } })
  const where = { userId, ...(stays !== undefined && { id: { not: stays } }) }
  return (await tx.session.deleteMany({ where })).count
}
