import type { Context } from '../context/context.ts'
import { unknownKey } from './api-keys.ts'
import { keysOwner } from './grantable-scopes.ts'

/**
 * Deletes a key: it is revoked immediately, and what is connected with it is closed within a second. Its jobs stay, with
 * its id and without its name.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts)
 */
export async function deleteApiKey(
  ctx: Context,
  input: { readonly apiKeyId: string },
): Promise<{ readonly apiKeyId: string }> {
  const accountId = keysOwner(ctx)
  if (input.apiKeyId.includes('\0')) throw unknownKey('')
  const where = { id: input.apiKeyId, ...(accountId !== null && { accountId }) }
  const { count } = await ctx.db.prisma.apiKey.deleteMany({ where })
  if (count === 0) throw unknownKey(input.apiKeyId)
  return { apiKeyId: input.apiKeyId }
}
