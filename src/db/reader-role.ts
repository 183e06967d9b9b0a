import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { Database, Tx } from './database.ts'

const VIEWS = 'sonant_v1'
const CONNECTIONS = 5
/** As a session of the role begins; it may set longer times itself. */
const DEFAULTS = {
  search_path: VIEWS,
  default_transaction_read_only: 'on',
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
} as const
const SCRAM_ROUNDS = 4096
const SESSION_ENDS_WITHIN_MS = 2000

interface Reader {
  readonly role: string
  readonly database: string
}

interface NewReader extends Reader {
  readonly exists: boolean
  /** null: keeps its own */
  readonly password: string | null
}

/** Makes or changes a role that may log in and read the views of `sonant_v1`. */
export async function putReader(tx: Tx, { role, database, exists, password }: NewReader): Promise<void> {
  const [name, place] = [escapeIdentifier(role), escapeIdentifier(database)]
  const secret = password === null ? '' : ` password ${escapeLiteral(scramOf(password))}`
  const made = exists ? 'alter' : 'create'
  await tx.query(`${made} role ${name} login noinherit connection limit ${CONNECTIONS}${secret}`)
  for (const [setting, value] of Object.entries(DEFAULTS))
    await tx.query(`alter role ${name} in database ${place} set ${setting} = ${escapeLiteral(value)}`)
  await tx.query(`grant connect on database ${place} to ${name}`)
  await tx.query(`grant usage on schema ${VIEWS} to ${name}`)
  await tx.query(`grant select on all tables in schema ${VIEWS} to ${name}`)
}

/** The role reads nothing from the commit on, and cannot log in. */
export async function stopReader(tx: Tx, { role, database }: Reader): Promise<void> {
  const name = escapeIdentifier(role)
  await tx.query(`revoke all on all tables in schema ${VIEWS} from ${name}`)
  await tx.query(`revoke all on schema ${VIEWS} from ${name}`)
  await tx.query(`revoke all on database ${escapeIdentifier(database)} from ${name}`)
  await tx.query(`alter role ${name} nologin`)
}

/** Ends the sessions of a role, and waits for each, because temporary tables end with it. */
export async function endSessions({ pool }: Pick<Database, 'pool'>, role: string): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid, ${SESSION_ENDS_WITHIN_MS}) from pg_stat_activity where usename = $1`,
    [role],
  )
}

export const dropReader = (tx: Tx, role: string): Promise<unknown> => tx.query(`drop role ${escapeIdentifier(role)}`)

/** PostgreSQL's form of a password (RFC 5803), so that no log of its statements can hold the password. */
function scramOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ROUNDS, 32, 'sha256')
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${SCRAM_ROUNDS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`
}
