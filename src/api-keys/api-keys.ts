import { whoseAccount } from '../accounts/whose-account.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { ServiceError } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { keysOwner } from './grantable-scopes.ts'

export interface ApiKeyView {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  /** Its last four characters; null of keys from before they were kept. */
  readonly hint: string | null
  readonly expiresAt: Date | null
  readonly createdById: string | null
  readonly createdAt: Date
  /** Within a minute; null: none since this is noted. */
  readonly lastUsedAt: Date | null
}

export const KEY_VIEW = {
  id: true,
  name: true,
  scopes: true,
  hint: true,
  expiresAt: true,
  createdById: true,
  createdAt: true,
  lastUsedAt: true,
} as const

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
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row })
}

/** Returns null if the caller's account has no such key. @throws UNAUTHORIZED, FORBIDDEN */
export async function findApiKey(ctx: Context, apiKeyId: string, query?: RowQuery): Promise<ApiKeyView | null> {
  const accountId = keysOwner(ctx)
  if (!isId('key', apiKeyId)) return null
  const where = { id: apiKeyId, ...(accountId !== null && { accountId }) }
  return ctx.db.prisma.apiKey.findFirst({ where, select: selectOf(KEY_VIEW, query) })
}

export const unknownKey = (apiKeyId: string) => new ServiceError('NOT_FOUND', `No API key with the id "${apiKeyId}".`)
