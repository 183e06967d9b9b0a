import type { AccountHolder } from '../access/actor.ts'
import { scopesOf, type UserRole } from '../access/scopes.ts'
import type { Parts } from '../context/context.ts'
import { SESSION_IDLE_MS } from '../users/session.ts'

const STANDING_KEYS = { name: 'standing_keys', text: 'select id, scopes from api_key where id = any($1)' }
const STANDING_SESSIONS = {
  name: 'standing_sessions',
  text: `select s.id, u.role from session s join "user" u on u.id = s.user_id
         where s.id = any($1) and s.expires_at > $2 and s.seen_at > $3 and u.disabled_at is null`,
}

/** Of these callers, those whose key or session still stands, by its id, with the scopes that it has now. */
export async function standingCallers(
  { db, now }: Pick<Parts, 'db' | 'now'>,
  callers: readonly AccountHolder[],
): Promise<Map<string, readonly string[]>> {
  const keys = callers.flatMap((caller) => (caller.kind === 'key' ? [caller.apiKeyId] : []))
  const sessions = callers.flatMap((caller) => (caller.kind === 'session' ? [caller.sessionId] : []))
  const standing = new Map<string, readonly string[]>()
  if (keys.length > 0) {
    const { rows } = await db.pool.query<{ id: string; scopes: string[] }>({ ...STANDING_KEYS, values: [keys] })
    for (const { id, scopes } of rows) standing.set(id, scopes)
  }
  if (sessions.length > 0) {
    const at = now()
    const values = [sessions, at, new Date(at.getTime() - SESSION_IDLE_MS)]
    const { rows } = await db.pool.query<{ id: string; role: UserRole }>({ ...STANDING_SESSIONS, values })
    for (const { id, role } of rows) standing.set(id, scopesOf(role))
  }
  return standing
}
