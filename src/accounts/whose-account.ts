import { requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { findAccount } from './find-account.ts'

/**
 * The id of the account that a caller asks about: its own, or the one that the operator names by id or name.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function whoseAccount(ctx: Context, named: string | null | undefined): Promise<string> {
  if (named == null || ('accountId' in ctx.actor && ctx.actor.accountId === named)) {
    requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
    return requireAccount(ctx).accountId
  }
  requireOperator(ctx)
  return (await findAccount(ctx, named)).id
}
