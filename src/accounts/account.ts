import { ownerOf } from '../access/actor.ts'
import { requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { hasUnseen } from '../values/printable.ts'
import type { Account } from './account-view.ts'
import { findAccount } from './find-account.ts'

const NAME_MAX_CHARACTERS = 200
/** Far beyond any real balance, and sums of a few of them still fit PostgreSQL's bigint. */
export const MAX_CREDITS = 10n ** 15n

/** Whose account is asked for. */
export interface AccountInput {
  /** Id or name: for the operator alone, but for the caller's own id. */
  readonly account?: string | null | undefined
}

/**
 * The caller's account and its balance, with the scope that reads its jobs, or administers it, so that a 402 explains itself; for the
 * operator any that is named.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account
 */
export async function account(ctx: Context, input?: AccountInput): Promise<Account> {
  const { actor } = ctx
  const named = input?.account
  if (named != null && named !== ownerOf(actor)) {
    requireOperator(ctx)
    return findAccount(ctx, named)
  }
  const administers = 'scopes' in actor && actor.scopes.includes(ACCOUNT_ADMIN_SCOPE)
  if (!administers) requireScope(ctx, JOB_READ_SCOPE)
  return findAccount(ctx, requireAccount(ctx).accountId)
}

/** Names of accounts, keys and voices: anything that a reader sees. @throws INVALID_REQUEST */
export function checkName(name: string): void {
  if (name.trim() === '' || name.length > NAME_MAX_CHARACTERS || hasUnseen(name) || !name.isWellFormed()) {
    const message = `must have 1 to ${NAME_MAX_CHARACTERS} characters, none of them a control or invisible character`
    throw invalidRequest(
      `Give a name of 1 to ${NAME_MAX_CHARACTERS} characters without control or invisible characters.`,
      [{ path: '/name', message }],
    )
  }
}
