import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { ownerOf } from '../access/actor.ts'
import { holdsIn, isOperator, requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, OPERATOR_SCOPE, SCOPE_FORM, SCOPE_MEANINGS, scopesOf } from '../access/scopes.ts'
import { whoseAccount } from '../accounts/accounts.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'

export const KEY_VIEW = {
  id: true,
  accountId: true,
  name: true,
  scopes: true,
  hint: true,
  expiresAt: true,
  monthlyLimit: true,
  maxRunning: true,
  createdById: true,
  createdAt: true,
  lastUsedAt: true,
} as const

/** `hint` has its last four characters; keys of old releases have none. `lastUsedAt` is true within a minute. */
export type ApiKeyView = Prisma.ApiKeyGetPayload<{ select: typeof KEY_VIEW }>

export interface ApiKeysInput extends PageInput {
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/** Lists an account's keys, newest first. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST */
export async function apiKeys(ctx: Context, input: ApiKeysInput): Promise<Connection<ApiKeyView>> {
  const accountId = await whoseAccount(ctx, input.account)
  const shape = pageShape(input, (text) => isId('key', text))
  const { id, ...rest } = idQuery(input, shape, 'newest', String)
  const rows = await ctx.db.prisma.apiKey.findMany({
    where: { accountId, id },
    ...rest,
    select: selectOf(KEY_VIEW, input.query),
  })
  const count = () => ctx.db.prisma.apiKey.count({ where: { accountId } })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row, count })
}

/** Which keys the caller sees: those of the account if it lists them, else its own alone. */
export function seenKeys(ctx: Context): Prisma.ApiKeyWhereInput {
  const { actor } = ctx
  if (isOperator(ctx)) return {}
  if (!('accountId' in actor)) return { id: '' }
  const { accountId } = actor
  if (holdsIn(ctx, accountId, ACCOUNT_ADMIN_SCOPE)) return { accountId }
  return { accountId, id: actor.kind === 'key' ? actor.apiKeyId : '' }
}

/** Those of these keys that the caller sees. */
export async function loadKeys(
  ctx: Context,
  ids: readonly string[],
  query?: RowQuery,
): Promise<Map<string, ApiKeyView>> {
  const where = { AND: [{ id: { in: [...ids] } }, seenKeys(ctx)] }
  const rows = await ctx.db.prisma.apiKey.findMany({ where, select: selectOf(KEY_VIEW, query) })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Keys of the caller's account. A key reads itself without account:admin. @throws UNAUTHORIZED, FORBIDDEN */
export async function findApiKeys(ctx: Context, ids: readonly string[], query?: RowQuery): Promise<ApiKeyView[]> {
  const self = ctx.actor.kind === 'key' ? ctx.actor.apiKeyId : null
  const accountId = ids.every((id) => id === self) ? null : keysOwner(ctx)
  const where = { id: { in: ids.filter((id) => isId('key', id)) }, ...(accountId !== null && { accountId }) }
  return ctx.db.prisma.apiKey.findMany({ where, select: selectOf(KEY_VIEW, query) })
}

/** The key that asks; null for a signed-in user. */
export async function ownApiKey(ctx: Context, { query }: { readonly query?: RowQuery }): Promise<ApiKeyView | null> {
  if (ctx.actor.kind !== 'key') return null
  const [found] = await findApiKeys(ctx, [ctx.actor.apiKeyId], query)
  return found ?? null
}

export const unknownKey = (apiKeyId: string) => new ServiceError('NOT_FOUND', `No API key with the id "${apiKeyId}".`)

export interface KeyName {
  /** Null if no record has it any more. */
  readonly name: string | null
  readonly isDeleted: boolean
}

/** Names of keys by their ids; a deleted one has its last name, from the record of changes. The caller authorises. */
export async function keyNames(
  ctx: Pick<Context, 'actor' | 'db'>,
  ids: readonly string[],
): Promise<Map<string, KeyName>> {
  const { prisma } = ctx.db
  const rows = await prisma.apiKey.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true } })
  const names = new Map<string, KeyName>(rows.map(({ id, name }) => [id, { name, isDeleted: false }]))
  const deleted = ids.filter((id) => !names.has(id))
  if (deleted.length === 0) return names
  const where = { action: 'key_deleted', subjectId: { in: deleted } }
  const entries = await prisma.auditEntry.findMany({
    where: isOperator(ctx) ? where : { ...where, accountId: ownerOf(ctx.actor) ?? '' },
    select: { subjectId: true, subjectName: true },
  })
  const last = new Map(entries.map(({ subjectId, subjectName }) => [subjectId, subjectName]))
  for (const id of deleted) names.set(id, { name: last.get(id) ?? null, isDeleted: true })
  return names
}

/** Asks for the names of a whole request together. */
export const keyNameLoader = new BatchLoader<Context, KeyName>(keyNames)

/**
 * @returns the account whose keys the caller manages; null: any
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export function keysOwner(ctx: Context): string | null {
  if (ctx.actor.kind === 'system') return null
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return requireAccount(ctx).accountId
}

export interface GrantableScope {
  readonly name: string
  readonly description: string
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function grantableScopes(ctx: Context): Promise<GrantableScope[]> {
  keysOwner(ctx)
  return [...withOwners(ctx)].map((name) => ({ name, description: SCOPE_MEANINGS[name] ?? RESTRICTED }))
}

function withOwners(ctx: Context): Set<string> {
  const own = 'scopes' in ctx.actor ? ctx.actor.scopes : []
  return new Set([...scopesOf('owner'), ...own.filter((scope) => mayPass(ctx, scope))])
}

const RESTRICTED = 'Reach the endpoints that ask for it.'

const mayPass = ({ actor }: Context, scope: string): boolean => actor.kind !== 'session' || scope !== OPERATOR_SCOPE

/**
 * An account grants only the scopes that its owners, the caller or the key hold, so nobody becomes an operator by making a key.
 * @throws INVALID_REQUEST, FORBIDDEN
 */
export function grantScopes(ctx: Context, wanted: readonly string[], held: readonly string[] = []): string[] {
  const scopes = [...new Set(wanted)]
  const wrong = scopes.find((scope) => !SCOPE_FORM.test(scope))
  if (wrong !== undefined) {
    const details = [{ path: `/scopes/${wanted.indexOf(wrong)}`, message: 'is no scope' }]
    throw invalidRequest(`Write scopes like generate:voice: "${wrong}" is not one.`, details)
  }
  if (ctx.actor.kind === 'system') return scopes
  const grantable = new Set([...withOwners(ctx), ...held])
  const beyond = scopes.find((scope) => !grantable.has(scope))
  if (beyond !== undefined) throw new ServiceError('FORBIDDEN', `Ask the operator for the scope ${beyond}.`)
  return scopes
}
