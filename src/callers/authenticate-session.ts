import type { SessionActor } from '../access/actor.ts'
import { scopesOfUser, type UserRole } from '../access/scopes.ts'
import type { Parts } from '../context/context.ts'
import { hashToken, isToken, SESSION_IDLE_MS } from '../users/session.ts'

const SEEN_EVERY_MS = 60_000

const FIND_SESSION = {
  name: 'authenticate_session',
  text: `select s.id, s.user_id, s.seen_at, s.password_at, u.account_id, u.role, u.operator, a.credits,
           s.expires_at > $2 and s.seen_at > $3 as stands
         from session s join "user" u on u.id = s.user_id join account a on a.id = u.account_id
         where s.hash = $1 and u.disabled_at is null`,
}

/** A session that was ended meanwhile stays ended. */
const NOTE_USE = {
  name: 'note_session_use',
  text: `with session_used as (update session set seen_at = $3 where id = $1)
         update "user" set last_seen_at = $3 where id = $2`,
}

interface Row {
  id: string
  user_id: string
  seen_at: Date
  password_at: Date | null
  account_id: string
  role: UserRole
  operator: boolean
  credits: string
  stands: boolean
}

/** Null if the token is unknown, the session was ended or its user is disabled. */
export async function authenticateSession(
  parts: Pick<Parts, 'db' | 'now'>,
  token: string,
): Promise<SessionActor | 'expired' | null> {
  if (!isToken(token)) return null
  const now = parts.now()
  const values = [hashToken(token), now, new Date(now.getTime() - SESSION_IDLE_MS)]
  const { rows } = await parts.db.pool.query<Row>({ ...FIND_SESSION, values })
  const row = rows[0]
  if (row === undefined) return null
  if (!row.stands) return 'expired'
  if (now.getTime() - row.seen_at.getTime() > SEEN_EVERY_MS) {
    await parts.db.pool.query({ ...NOTE_USE, values: [row.id, row.user_id, now] })
  }
  return {
    kind: 'session',
    accountId: row.account_id,
    userId: row.user_id,
    sessionId: row.id,
    passwordAt: row.password_at,
    scopes: scopesOfUser(row),
    credits: BigInt(row.credits),
  }
}
