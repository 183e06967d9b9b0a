import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { unknownKey } from './api-keys.ts'
import { keysOwner } from './grantable-scopes.ts'

/**
 * Revokes a key; its connections close within a second.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts)
 */
export async function deleteApiKey(
  ctx: Context,
  input: { readonly apiKeyId: string },
): Promise<{ readonly apiKeyId: string }> {
  const accountId = keysOwner(ctx)
  if (input.apiKeyId.includes('\0')) throw unknownKey('')
  const where = { id: input.apiKeyId, ...(accountId !== null && { accountId }) }
  await ctx.db.prisma.$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({ where, select: { accountId: true, name: true } })
    // The calling key may be this one, so it is recorded before it is deleted.
    if (key !== null) {
      const change = { accountId: key.accountId, subjectId: input.apiKeyId, subjectName: key.name }
      await recordChange(sqlIn(tx), ctx.actor, { action: 'key_deleted', ...change })
    }
    const { count } = await tx.apiKey.deleteMany({ where })
    if (count === 0) throw unknownKey(input.apiKeyId)
  })
  return { apiKeyId: input.apiKeyId }
}
