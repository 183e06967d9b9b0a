import { DEFAULT_SCOPES, OPERATOR_SCOPE } from '../access/scopes.ts'
import { checkName } from '../accounts/account.ts'
import { findAccount } from '../accounts/find-account.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { forbidden, invalidRequest } from '../errors/service-error.ts'
import { newId } from '../values/id.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { grantScopes, keysOwner } from './grantable-scopes.ts'

/** They are of the checksum, so some 190 of the key's 214 bits stay unknown. */
const HINT_CHARACTERS = 4

export interface NewApiKey {
  readonly apiKeyId: string
  readonly apiKey: string
  readonly scopes: readonly string[]
}

export interface ApiKeyInput {
  readonly account?: string | null | undefined
  readonly name: string
  readonly scopes?: readonly string[] | null | undefined
  readonly expiresAt?: Date | null | undefined
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, INVALID_REQUEST for a bad name, scope or end */
export async function createApiKey(ctx: Context, input: ApiKeyInput): Promise<NewApiKey> {
  const accountId = keysOwner(ctx) ?? (await findAccount(ctx, input.account ?? '')).id
  if (ctx.actor.kind !== 'system' && input.account && input.account !== accountId) throw forbidden(OPERATOR_SCOPE)
  checkName(input.name)
  rejectPast(ctx, input.expiresAt)
  const scopes = grantScopes(ctx, input.scopes ?? DEFAULT_SCOPES)
  const apiKey = newApiKey()
  const row = {
    id: newId('key', ctx.now()),
    accountId,
    name: input.name,
    hash: Uint8Array.from(hashApiKey(apiKey)),
    scopes,
    hint: apiKey.slice(-HINT_CHARACTERS),
    expiresAt: input.expiresAt ?? null,
    createdById: ctx.actor.kind === 'session' ? ctx.actor.userId : null,
  }
  await ctx.db.prisma.$transaction(async (tx) => {
    await tx.apiKey.create({ data: row, select: { id: true } })
    const key = { accountId, subjectId: row.id, subjectName: row.name, detail: scopes.join(' ') }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'key_created', ...key })
  })
  return { apiKeyId: row.id, apiKey, scopes }
}

function rejectPast({ now }: Context, expiresAt: Date | null | undefined): void {
  if (expiresAt != null && expiresAt.getTime() <= now().getTime())
    throw invalidRequest('Let the key expire in the future.', [
      { path: '/expiresAt', message: 'must be in the future' },
    ])
}
