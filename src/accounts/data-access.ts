import { randomBytes } from 'node:crypto'
import { requireSystem } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { dropReader, endSessions, putReader, stopReader } from '../db/reader-role.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { findAccount } from './accounts.ts'

const ROLE = /^[a-z_][a-z0-9_]{0,62}$/
const RESERVED = /^(pg_|postgres$|public$|none$)/
const PASSWORD_BYTES = 24
const INSUFFICIENT_PRIVILEGE = '42501'
const DEPENDENT_OBJECTS = '2BP01'
/** No account has this id, so the views have no rows for a role that is granted it. */
const NO_ACCOUNT = ''

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

export interface DataRevocation {
  readonly role: string
  /** Because of these PostgreSQL keeps the role, which reads nothing and cannot log in; empty: it is dropped. */
  readonly remains: readonly string[]
}

/**
 * Ends the access of a role and drops it, unless it owns something or others granted it something. May be repeated.
 * @throws FORBIDDEN, NOT_FOUND for a role that `grantData` has not made, UNAVAILABLE without the privileges
 */
export async function revokeData(ctx: Context, { role }: { readonly role: string }): Promise<DataRevocation> {
  requireSystem(ctx)
  await inTransaction(ctx.db, async (tx) => {
    const { exists, isOurs, database } = await stateOf(tx, role)
    if (!isOurs) throw new ServiceError('NOT_FOUND', `No role "${role}" was granted the views.`)
    await tx.query('update data_grant set account_id = $2 where role = $1', [role, NO_ACCOUNT])
    if (exists) await stopReader(tx, { role, database })
  }).catch(explain)
  // PostgreSQL may not let the service end them: they read nothing any more.
  await endSessions(ctx.db, role).catch(() => undefined)
  const drop = inTransaction(ctx.db, async (tx) => {
    if ((await stateOf(tx, role)).exists) await dropReader(tx, role)
    await tx.query('delete from data_grant where role = $1', [role])
    return []
  })
  return { role, remains: await drop.catch(whatRemains).catch(explain) }
}

function whatRemains(error: unknown): string[] {
  const { code, detail = '' } = error as { code?: unknown; detail?: string }
  if (code !== DEPENDENT_OBJECTS) throw error
  return detail.split('\n')
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
