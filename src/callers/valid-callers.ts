import type { AccountHolder } from '../access/actor.ts'
import { scopesOfUser } from '../access/scopes.ts'
import type { Parts } from '../context/context.ts'
import { SESSION_IDLE_MS } from '../users/session.ts'

/** Valid callers by key or session id, with present scopes. */
export async function standingCallers(
  { db, now }: Pick<Parts, 'db' | 'now'>,
  callers: readonly AccountHolder[],
): Promise<Map<string, readonly string[]>> {
  const keys = callers.flatMap((caller) => (caller.kind === 'key' ? [caller.apiKeyId] : []))
  const sessions = callers.flatMap((caller) => (caller.kind === 'session' ? [caller.sessionId] : []))
  const standing = new Map<string, readonly string[]>()
  if (keys.length > 0) {
    const where = { id: { in: keys }, OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] }
    const rows = await db.prisma.apiKey.findMany({ where, select: { id: true, scopes: true } })
    for (const { id, scopes } of rows) standing.set(id, scopes)
  }
  if (sessions.length > 0) {
    const at = now()
    const seenAt = { gt: new Date(at.getTime() - SESSION_IDLE_MS) }
    const rows = await db.prisma.session.findMany({
      where: { id: { in: sessions }, expiresAt: { gt: at }, seenAt, user: { disabledAt: null } },
      select: { id: true, user: { select: { role: true, operator: true } } },
    })
    for (const { id, user } of rows) standing.set(id, scopesOfUser(user))
  }
  return standing
}
