import type { KeyActor, SessionActor } from '../access/actor.ts'
import { scopesOfUser, type UserRole } from '../access/scopes.ts'
import { allowanceOf } from '../accounts/monthly-usage.ts'
import { hashApiKey, isApiKey } from '../api-keys/api-key.ts'
import { BatchedCalls } from '../concurrency/batch-calls.ts'
import type { Parts } from '../context/context.ts'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { accountDisabled, unauthorized } from '../errors/service-error.ts'
import { hashToken, isToken, SESSION_IDLE_MS } from '../users/sessions.ts'

const FIND_KEYS = {
  name: 'authenticate',
  text: `select k.hash, k.id, k.account_id, k.scopes, a.credits - a.held as credits, least(${allowanceOf('k')}, ${allowanceOf('a')}) as allowance,
           k.max_running is not null as limits_running, a.disabled_at is not null as disabled,
           coalesce(k.last_used_at < now() - interval '1 minute', true) as unnoted
         from api_key k join account a on a.id = k.account_id
         where k.hash = any($1::bytea[]) and (k.expires_at is null or k.expires_at > now())`,
}
const MAX_KEYS = 64
const HELD_UP = { longestWaitMs: 100 }
const SEEN_EVERY_MS = 60_000

const FIND_SESSION = {
  name: 'authenticate_session',
  text: `select s.id, s.user_id, s.seen_at, s.password_at, u.account_id, u.role, u.operator, a.credits - a.held as credits, ${allowanceOf('a')} as allowance,
           s.expires_at > $2 and s.seen_at > $3 as stands
         from session s join "user" u on u.id = s.user_id join account a on a.id = u.account_id
         where s.hash = $1 and u.disabled_at is null and a.disabled_at is null`,
}

/** A session that was ended meanwhile stays ended. */
const NOTE_USE = {
  name: 'note_session_use',
  text: `with session_used as (update session set seen_at = $3 where id = $1)
         update "user" set last_seen_at = $3 where id = $2`,
}

const GATHER_MS = 500

const NOTE = {
  name: 'note_key_use',
  text: `update api_key set last_used_at = now()
         where id = any($1) and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
}

export interface AuthenticationParts extends Pick<Parts, 'db'> {
  readonly keyUses: KeyUses
}

interface KeyRow {
  hash: Buffer
  id: string
  account_id: string
  scopes: string[]
  credits: string
  allowance: string | null
  limits_running: boolean
  disabled: boolean
  unnoted: boolean
}

interface Asked {
  readonly hash: Buffer
  hasLeft(): boolean
}

interface SessionRow {
  id: string
  user_id: string
  seen_at: Date
  password_at: Date | null
  account_id: string
  role: UserRole
  operator: boolean
  credits: string
  allowance: string | null
  stands: boolean
}

const neverLeaves = () => false

/**
 * Every request reads the database, so a deleted key fails at once.
 * @param hasLeft cancels a look-up whose client has disconnected
 * @throws UNAUTHORIZED if the key is missing, malformed, unknown, expired or deleted, FORBIDDEN if its account is disabled
 */
export async function authenticate(
  parts: AuthenticationParts,
  key: string | undefined,
  hasLeft: () => boolean = neverLeaves,
): Promise<KeyActor> {
  if (key === undefined || !isApiKey(key)) throw unauthorized()
  const row = await lookupsOf(parts.db).call({ hash: hashApiKey(key), hasLeft })
  if (row === undefined) throw unauthorized()
  if (row.disabled) throw accountDisabled()
  if (row.unnoted) parts.keyUses.note(row.id)
  const { id: apiKeyId, account_id: accountId, scopes } = row
  const limitsRunning = row.limits_running && { limitsRunning: true }
  return { kind: 'key', accountId, apiKeyId, scopes, ...leftOf(row), ...limitsRunning }
}

type Lookups = BatchedCalls<Asked, KeyRow | undefined>

const known = new WeakMap<Database, Lookups>()

function lookupsOf(db: Database): Lookups {
  const lookups = known.get(db) ?? new BatchedCalls(MAX_KEYS, (asked: readonly Asked[]) => findAll(db, asked), HELD_UP)
  known.set(db, lookups)
  return lookups
}

async function findAll(db: Database, asked: readonly Asked[]): Promise<(KeyRow | undefined)[]> {
  const { pool } = cancellable(db, () => asked.every(({ hasLeft }) => hasLeft()))
  const { rows } = await pool.query<KeyRow>({ ...FIND_KEYS, values: [asked.map(({ hash }) => hash)] })
  return asked.map(({ hash }) => rows.find((row) => row.hash.equals(hash)))
}

/** Null if the token is unknown, the session was ended, or its user or account is disabled. */
export async function authenticateSession(
  parts: Pick<Parts, 'db' | 'now'>,
  token: string,
): Promise<SessionActor | 'expired' | null> {
  if (!isToken(token)) return null
  const now = parts.now()
  const values = [hashToken(token), now, new Date(now.getTime() - SESSION_IDLE_MS)]
  const { rows } = await parts.db.pool.query<SessionRow>({ ...FIND_SESSION, values })
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
    ...leftOf(row),
  }
}

const leftOf = ({ credits, allowance }: Pick<KeyRow, 'credits' | 'allowance'>) => ({
  credits: BigInt(credits),
  allowance: allowance === null ? null : BigInt(allowance),
})

/** Records uses once a minute per key; no request waits. A crash loses unwritten uses. */
export class KeyUses {
  readonly #parts: Pick<Parts, 'db' | 'log'>
  readonly #due = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Pick<Parts, 'db' | 'log'>) {
    this.#parts = parts
  }

  note(apiKeyId: string): void {
    this.#due.add(apiKeyId)
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS).unref()
  }

  async #write(): Promise<void> {
    const ids = [...this.#due]
    try {
      await this.#parts.db.pool.query({ ...NOTE, values: [ids] })
    } catch (error) {
      this.#parts.log.debug({ err: String(error) }, 'the use of keys could not be noted')
    }
    // Until now, requests still read the old time.
    for (const id of ids) this.#due.delete(id)
    this.#timer = this.#due.size > 0 ? setTimeout(() => void this.#write(), GATHER_MS).unref() : undefined
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
