import { isOperator, requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { findAccount } from './find-account.ts'

/**
 * The id of the account that a caller asks about: its own, or the one that the operator names by id or name.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function whoseAccount(ctx: Context, named: string | null | undefined): Promise<string> {
  // An operator's session may be that of a member: what it names it sees as the operator.
  const isOwn = 'accountId' in ctx.actor && ctx.actor.accountId === named && !isOperator(ctx)
  if (named == null || isOwn) {
    requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
    return requireAccount(ctx).accountId
  }
  requireOperator(ctx)
  return (await findAccount(ctx, named)).id
}
