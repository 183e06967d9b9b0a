import { randomBytes } from 'node:crypto'
import { requireSystem } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { dropReader, putReader } from '../db/reader-role.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { findAccount } from './accounts.ts'

const ROLE = /^[a-z_][a-z0-9_]{0,62}$/
const RESERVED = /^(pg_|postgres$|public$|none$)/
const PASSWORD_BYTES = 24
const INSUFFICIENT_PRIVILEGE = '42501'

export interface DataGrantInput {
  readonly role: string
  /** Id or name; absent: all accounts. */
  readonly account?: string | undefined
  readonly newPassword?: boolean | undefined
}

export interface DataGrant {
  readonly role: string
  /** null: all accounts */
  readonly accountId: string | null
  /** Shown this once; null: the role keeps its password. */
  readonly password: string | null
  /** Without a password. */
  readonly url: string
}

/**
 * Makes or changes a role of PostgreSQL that can log in and reads the views of `sonant_v1` alone.
 * @throws FORBIDDEN, INVALID_REQUEST for a name that is none or is another role's, NOT_FOUND for an account, UNAVAILABLE without the privileges
 */
export async function grantData(ctx: Context, { role, account, newPassword }: DataGrantInput): Promise<DataGrant> {
  requireSystem(ctx)
  checkRole(role)
  const accountId = account === undefined ? null : (await findAccount(ctx, account)).id
  const password = await inTransaction(ctx.db, async (tx) => {
    const { exists, isOurs, database } = await stateOf(tx, role)
    if (exists && !isOurs)
      throw invalidRequest(`The role ${role} exists already, and was not made by this command: name another.`)
    const made = exists && newPassword !== true ? null : randomBytes(PASSWORD_BYTES).toString('base64url')
    await putReader(tx, { role, database, exists, password: made })
    await tx.query(
      `insert into data_grant (role, account_id) values ($1, $2) on conflict (role) do update set account_id = excluded.account_id`,
      [role, accountId],
    )
    return made
  }).catch(explain)
  return { role, accountId, password, url: urlFor(ctx.db.url, role) }
}

/** @throws FORBIDDEN, NOT_FOUND for a role that `grantData` has not made, UNAVAILABLE without the privileges */
export async function revokeData(
  ctx: Context,
  { role }: { readonly role: string },
): Promise<{ readonly role: string }> {
  requireSystem(ctx)
  await inTransaction(ctx.db, async (tx) => {
    const { exists, isOurs, database } = await stateOf(tx, role)
    if (!isOurs) throw new ServiceError('NOT_FOUND', `No role "${role}" was granted the views.`)
    await tx.query('delete from data_grant where role = $1', [role])
    if (!exists) return
    await dropReader(tx, { role, database })
  }).catch(explain)
  return { role }
}

function checkRole(role: string): void {
  if (ROLE.test(role) && !RESERVED.test(role)) return
  throw invalidRequest('Name the role with lower-case letters, digits and _, at most 63, such as bi_reader.')
}

interface RoleState {
  readonly exists: boolean
  readonly isOurs: boolean
  readonly database: string
}

async function stateOf(tx: Tx, role: string): Promise<RoleState> {
  const { rows } = await tx.query<RoleState>(
    `select exists (select from pg_roles where rolname = $1) as exists, exists (select from data_grant where role = $1) as "isOurs",
       current_database() as database`,
    [role],
  )
  return rows[0]!
}

function urlFor(own: string, role: string): string {
  const url = new URL(own)
  url.username = role
  url.password = ''
  return url.href
}

function explain(error: unknown): never {
  if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
  const message = 'The role of the service may not make roles: let an administrator of PostgreSQL grant it CREATEROLE.'
  throw new ServiceError('UNAVAILABLE', message, { cause: error })
}
