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

/** What a list shows of a key, to tell it by. They are of its checksum: some 190 of the 214 bits stay unknown. */
const HINT_CHARACTERS = 4

/** A key that was just made: the one time that its value is shown. */
export interface NewApiKey {
  readonly apiKeyId: string
  /** The value of the key, which is stored nowhere. */
  readonly apiKey: string
  readonly scopes: readonly string[]
}

/** A key to be made. */
export interface ApiKeyInput {
  /** Id or name: for the operator alone. Every other caller has its own. */
  readonly account?: string | null | undefined
  readonly name: string
  /** DEFAULT_SCOPES unless given; FORBIDDEN for one that the caller may not hand on. */
  readonly scopes?: readonly string[] | null | undefined
  /** In the future: from then on it is no key. It stays one unless given. */
  readonly expiresAt?: Date | null | undefined
}

/**
 * Makes a key for an account, with the default scopes unless others are named.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, INVALID_REQUEST for a bad name, scope or end
 */
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

/** @throws INVALID_REQUEST */
function rejectPast({ now }: Context, expiresAt: Date | null | undefined): void {
  if (expiresAt != null && expiresAt.getTime() <= now().getTime())
    throw invalidRequest('Let the key expire in the future.', [
      { path: '/expiresAt', message: 'must be in the future' },
    ])
}
