import { type Context, requireOperator } from '../context.ts'
import type { Account } from './account.ts'
import { findAccount } from './find-account.ts'

/** An account and its balance, by id or name. @throws NOT_FOUND */
export async function showAccount(ctx: Context, input: { readonly account: string }): Promise<Account> {
  requireOperator(ctx)
  return findAccount(ctx, input.account)
}
