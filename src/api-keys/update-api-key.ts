import { checkName } from '../accounts/account.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { type ApiKeyView, KEY_VIEW, unknownKey } from './api-keys.ts'
import { grantScopes, keysOwner } from './grantable-scopes.ts'

export interface ApiKeyChange {
  readonly apiKeyId: string
  readonly name?: string | null | undefined
  readonly scopes?: readonly string[] | null | undefined
  readonly query?: RowQuery
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts), INVALID_REQUEST */
export async function updateApiKey(ctx: Context, input: ApiKeyChange): Promise<ApiKeyView> {
  const { apiKeyId, name, scopes, query } = input
  const accountId = keysOwner(ctx)
  if (name !== undefined && name !== null) checkName(name)
  const where = { id: apiKeyId, ...(accountId !== null && { accountId }) }
  const held = apiKeyId.includes('\0')
    ? null
    : await ctx.db.prisma.apiKey.findFirst({ where, select: { scopes: true, accountId: true } })
  if (held === null) throw unknownKey(apiKeyId)
  const data = {
    ...(name !== undefined && name !== null && { name }),
    ...(scopes !== undefined && scopes !== null && { scopes: grantScopes(ctx, scopes, held.scopes) }),
  }
  return ctx.db.prisma.$transaction(async (tx) => {
    const [updated] = await tx.apiKey.updateManyAndReturn({ where, data, select: selectOf(KEY_VIEW, query) })
    if (updated === undefined) throw unknownKey(apiKeyId)
    const change = { accountId: held.accountId, subjectId: apiKeyId, subjectName: updated.name }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'key_updated', ...change, detail: updated.scopes.join(' ') })
    return updated
  })
}
