import type { PrismaTx } from '../db/database.ts'
import { newId } from '../values/id.ts'
import { hashToken, newToken, SESSION_KEPT_MS, SESSION_LIFETIME_MS } from './session.ts'

export interface OpenedSession {
  readonly token: string
  readonly keptUntil: Date
}

/**
 * The transaction has locked the row of a user who may sign in.
 * @param by only a password confirms an operator's changes
 */
export async function openSession(
  tx: PrismaTx,
  userId: string,
  by: 'password' | 'link',
  now: Date,
): Promise<OpenedSession> {
  const token = newToken()
  const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_MS)
  const used = { seenAt: now, passwordAt: by === 'password' ? now : null }
  const data = { id: newId('ses', now), userId, hash: hashToken(token), expiresAt, ...used }
  await tx.session.create({ data, select: { id: true } })
  await tx.user.update({ where: { id: userId }, data: { lastSeenAt: now }, select: { id: true } })
  return { token, keptUntil: new Date(expiresAt.getTime() + SESSION_KEPT_MS) }
}
