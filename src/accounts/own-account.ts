import { ACCOUNT_ADMIN_SCOPE } from '../api-keys/api-key.ts'
import { type Context, requireAccount, requireScope } from '../context.ts'
import type { Account } from './account.ts'
import { findAccount } from './find-account.ts'

/** The caller's account and its balance. @throws UNAUTHORIZED, FORBIDDEN */
export async function account(ctx: Context): Promise<Account> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return findAccount(ctx, requireAccount(ctx).accountId)
}
