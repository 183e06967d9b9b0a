import { whoseAccount } from '../accounts/whose-account.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { ServiceError } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { keysOwner } from './grantable-scopes.ts'

/** A key without the key itself. */
export interface ApiKeyView {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  /** Its last four characters; null of keys from before they were kept. */
  readonly hint: string | null
  /** When the key stops working; null: never. */
  readonly expiresAt: Date | null
  /** The user who made it; null where no user did. */
  readonly createdById: string | null
  readonly createdAt: Date
  /** When a request last came with it, within a minute; null: none since this is noted. */
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

/** A page of keys, newest first. */
export interface ApiKeysInput extends PageInput {
  /** Id or name: for the operator alone. Every other caller has its own. */
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/** The keys of an account, newest first. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST */
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

/** A key of the caller's account; null where there is none. @throws UNAUTHORIZED, FORBIDDEN */
export async function findApiKey(ctx: Context, apiKeyId: string, query?: RowQuery): Promise<ApiKeyView | null> {
  const accountId = keysOwner(ctx)
  if (!isId('key', apiKeyId)) return null
  const where = { id: apiKeyId, ...(accountId !== null && { accountId }) }
  return ctx.db.prisma.apiKey.findFirst({ where, select: selectOf(KEY_VIEW, query) })
}

export const unknownKey = (apiKeyId: string) => new ServiceError('NOT_FOUND', `No API key with the id "${apiKeyId}".`)
