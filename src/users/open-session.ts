import type { PrismaTx } from '../db/database.ts'
import { newId } from '../values/id.ts'
import { hashToken, newToken, SESSION_KEPT_MS, SESSION_LIFETIME_MS } from './session.ts'

/** What a browser gets of a session: this once. */
export interface OpenedSession {
  /** For the browser's cookie. */
  readonly token: string
  /** Until when the browser keeps the cookie. */
  readonly keptUntil: Date
}

/**
 * Opens a session of a user whose row the transaction has locked, and found to be one who may sign in.
 * @param by what lets the user in: only a password confirms what an operator changes
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
