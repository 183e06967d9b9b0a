import { checkName } from '../accounts/account.ts'
import { findAccount } from '../accounts/find-account.ts'
import { type Context, requireSystem } from '../context.ts'
import { invalidRequest } from '../errors.ts'
import { newId } from '../id.ts'
import { DEFAULT_SCOPES, hashApiKey, newApiKey, SCOPE_FORM } from './api-key.ts'

export interface NewApiKey {
  readonly apiKeyId: string
  /** The key itself: this is the only time that anybody sees it. */
  readonly apiKey: string
  readonly scopes: readonly string[]
}

/**
 * Makes a key for an account, with the scopes of spec 5 unless others are named.
 * @throws NOT_FOUND for an unknown account, INVALID_REQUEST for a bad name or scope
 */
export async function createApiKey(
  ctx: Context,
  input: { readonly account: string; readonly name: string; readonly scopes?: readonly string[] },
): Promise<NewApiKey> {
  requireSystem(ctx)
  checkName(input.name)
  const scopes = [...new Set(input.scopes ?? DEFAULT_SCOPES)]
  const wrong = scopes.find((scope) => !SCOPE_FORM.test(scope))
  if (wrong !== undefined) throw invalidRequest(`Write scopes like generate:voice: "${wrong}" is not one.`)
  const account = await findAccount(ctx, input.account)
  const apiKey = newApiKey()
  const row = {
    id: newId('key'),
    accountId: account.id,
    name: input.name,
    hash: Uint8Array.from(hashApiKey(apiKey)),
    scopes,
  }
  await ctx.db.prisma.apiKey.create({ data: row })
  return { apiKeyId: row.id, apiKey, scopes }
}
