import { isOperator, requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { findAccount } from './find-account.ts'

/**
 * Returns the id of the caller's account, or of the one that the operator names.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function whoseAccount(ctx: Context, named: string | null | undefined): Promise<string> {
  const isOwn = 'accountId' in ctx.actor && ctx.actor.accountId === named && !isOperator(ctx)
  if (named == null || isOwn) {
    requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
    return requireAccount(ctx).accountId
  }
  requireOperator(ctx)
  return (await findAccount(ctx, named)).id
}
