import type { KeyActor } from '../access/actor.ts'
import { hashApiKey, isApiKey } from '../api-keys/api-key.ts'
import { BatchedCalls } from '../concurrency/batch-calls.ts'
import type { Parts } from '../context/context.ts'
import { cancellable } from '../db/cancellable-client.ts'
import type { Database } from '../db/database.ts'
import { unauthorized } from '../errors/service-error.ts'
import type { KeyUses } from './key-uses.ts'

const FIND_KEYS = {
  name: 'authenticate',
  text: `select k.hash, k.id, k.account_id, k.scopes, a.credits,
           coalesce(k.last_used_at < now() - interval '1 minute', true) as unnoted
         from api_key k join account a on a.id = k.account_id
         where k.hash = any($1::bytea[]) and (k.expires_at is null or k.expires_at > now())`,
}
const MAX_KEYS = 64
const HELD_UP = { longestWaitMs: 100 }

export interface AuthenticationParts extends Pick<Parts, 'db'> {
  readonly keyUses: KeyUses
}

interface Row {
  hash: Buffer
  id: string
  account_id: string
  scopes: string[]
  credits: string
  unnoted: boolean
}

interface Asked {
  readonly hash: Buffer
  hasLeft(): boolean
}

const neverLeaves = () => false

/**
 * Every request reads the database, so a deleted key fails at once.
 * @param hasLeft cancels a look-up whose client has disconnected
 * @throws UNAUTHORIZED if the key is missing, malformed, unknown, expired or deleted
 */
export async function authenticate(
  parts: AuthenticationParts,
  key: string | undefined,
  hasLeft: () => boolean = neverLeaves,
): Promise<KeyActor> {
  if (key === undefined || !isApiKey(key)) throw unauthorized()
  const row = await lookupsOf(parts.db).call({ hash: hashApiKey(key), hasLeft })
  if (row === undefined) throw unauthorized()
  if (row.unnoted) parts.keyUses.note(row.id)
  return { kind: 'key', accountId: row.account_id, apiKeyId: row.id, scopes: row.scopes, credits: BigInt(row.credits) }
}

type Lookups = BatchedCalls<Asked, Row | undefined>

const known = new WeakMap<Database, Lookups>()

function lookupsOf(db: Database): Lookups {
  const lookups = known.get(db) ?? new BatchedCalls(MAX_KEYS, (asked: readonly Asked[]) => findAll(db, asked), HELD_UP)
  known.set(db, lookups)
  return lookups
}

async function findAll(db: Database, asked: readonly Asked[]): Promise<(Row | undefined)[]> {
  const { pool } = cancellable(db, () => asked.every(({ hasLeft }) => hasLeft()))
  const { rows } = await pool.query<Row>({ ...FIND_KEYS, values: [asked.map(({ hash }) => hash)] })
  return asked.map(({ hash }) => rows.find((row) => row.hash.equals(hash)))
}
