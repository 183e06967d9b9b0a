import { ownerOf } from '../access/actor.ts'
import { isOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { RowQuery } from '../db/row-query.ts'
import { notFound } from '../errors/service-error.ts'
import { account } from './account.ts'
import type { Account } from './account-view.ts'
import { findAccount } from './find-account.ts'

/**
 * Shows the operator any account by id or name, and other callers their own by id.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function showAccount(
  ctx: Context,
  input: { readonly account: string; readonly query?: RowQuery },
): Promise<Account> {
  if (isOperator(ctx)) return findAccount(ctx, input.account)
  if (input.account === ownerOf(ctx.actor)) return account(ctx, { query: input.query })
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  throw notFound()
}
