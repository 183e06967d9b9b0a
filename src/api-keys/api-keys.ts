import { type Context, requireAccount } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { keysOwner } from './grantable-scopes.ts'

/** A key without the key itself. */
export interface ApiKeyView {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: Date
}

export const KEY_VIEW = { id: true, name: true, scopes: true, createdAt: true } as const

/** The keys of the caller's account, newest first. @throws UNAUTHORIZED, FORBIDDEN */
export async function apiKeys(ctx: Context): Promise<ApiKeyView[]> {
  keysOwner(ctx)
  const { accountId } = requireAccount(ctx)
  return ctx.db.prisma.apiKey.findMany({ where: { accountId }, orderBy: { id: 'desc' }, select: KEY_VIEW })
}

export const unknownKey = (apiKeyId: string) =>
  new ServiceError('NOT_FOUND', `Check the key id: there is no key "${apiKeyId}".`)
