import { checkName } from '../accounts/account.ts'
import type { Context } from '../context/context.ts'
import { type ApiKeyView, KEY_VIEW, unknownKey } from './api-keys.ts'
import { grantScopes, keysOwner } from './grantable-scopes.ts'

/** What is to change of a key. */
export interface ApiKeyChange {
  readonly apiKeyId: string
  /** Absent or null: stays. */
  readonly name?: string | null | undefined
  /** Absent or null: stay. They take effect immediately. */
  readonly scopes?: readonly string[] | null | undefined
}

/** Renames a key or gives it other scopes. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts), INVALID_REQUEST */
export async function updateApiKey(ctx: Context, { apiKeyId, name, scopes }: ApiKeyChange): Promise<ApiKeyView> {
  const accountId = keysOwner(ctx)
  if (name !== undefined && name !== null) checkName(name)
  const where = { id: apiKeyId, ...(accountId !== null && { accountId }) }
  const held = apiKeyId.includes('\0')
    ? null
    : await ctx.db.prisma.apiKey.findFirst({ where, select: { scopes: true } })
  if (held === null) throw unknownKey(apiKeyId)
  const data = {
    ...(name !== undefined && name !== null && { name }),
    ...(scopes !== undefined && scopes !== null && { scopes: grantScopes(ctx, scopes, held.scopes) }),
  }
  const [updated] = await ctx.db.prisma.apiKey.updateManyAndReturn({ where, data, select: KEY_VIEW })
  if (updated === undefined) throw unknownKey(apiKeyId)
  return updated
}
