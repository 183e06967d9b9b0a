import { ownerOf } from '../access/actor.ts'
import { requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { hasUnseen } from '../values/printable.ts'
import { ACCOUNT_VIEW, type Account } from './account-view.ts'
import { unknownAccount } from './find-account.ts'

const NAME_MAX_CHARACTERS = 200
/** Far below PostgreSQL's largest bigint, so sums of balances fit. */
export const MAX_CREDITS = 10n ** 15n

export interface AccountInput {
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/**
 * Reads the caller's account and its balance, or for the operator any by id or name.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account
 */
export async function account(ctx: Context, input?: AccountInput): Promise<Account> {
  const { actor } = ctx
  const named = input?.account
  if (named != null && named !== ownerOf(actor)) {
    requireOperator(ctx)
    return readAccount(ctx, named, input?.query)
  }
  const administers = 'scopes' in actor && actor.scopes.includes(ACCOUNT_ADMIN_SCOPE)
  if (!administers) requireScope(ctx, JOB_READ_SCOPE)
  return readAccount(ctx, requireAccount(ctx).accountId, input?.query)
}

async function readAccount(ctx: Context, named: string, query: RowQuery | undefined): Promise<Account> {
  const where = { OR: [{ id: named }, { name: named }] }
  const found = named.includes('\0')
    ? null
    : await ctx.db.prisma.account.findFirst({ where, select: selectOf(ACCOUNT_VIEW, query) })
  if (found === null) throw unknownAccount(named)
  return found
}

/** @throws INVALID_REQUEST */
export function checkName(name: string): void {
  if (name.trim() === '' || name.length > NAME_MAX_CHARACTERS || hasUnseen(name) || !name.isWellFormed()) {
    const message = `must have 1 to ${NAME_MAX_CHARACTERS} characters, none of them a control or invisible character`
    throw invalidRequest(
      `Give a name of 1 to ${NAME_MAX_CHARACTERS} characters without control or invisible characters.`,
      [{ path: '/name', message }],
    )
  }
}
