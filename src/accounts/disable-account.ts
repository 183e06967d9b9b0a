import { ownerOf } from '../access/actor.ts'
import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { ACCOUNT_VIEW, type Account, findAccount } from './accounts.ts'

interface NamedAccount {
  /** Id or name. */
  readonly account: string
  readonly query?: RowQuery
}

/**
 * Refuses the keys and sessions of an account from the next request on; its open connections close within a second.
 * Jobs that it has submitted go on, and so do their webhooks.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND, INVALID_REQUEST for the caller's own account
 */
export async function disableAccount(ctx: Context, input: NamedAccount): Promise<Account> {
  requireConfirmedOperator(ctx)
  const { id, name } = await findAccount(ctx, input.account)
  if (ownerOf(ctx.actor) === id) throw ownAccount()
  return change(ctx, { id, name, disabledAt: ctx.now() }, input.query)
}

/** @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, NOT_FOUND */
export async function enableAccount(ctx: Context, input: NamedAccount): Promise<Account> {
  requireConfirmedOperator(ctx)
  const { id, name } = await findAccount(ctx, input.account)
  return change(ctx, { id, name, disabledAt: null }, input.query)
}

interface Standing {
  readonly id: string
  readonly name: string
  readonly disabledAt: Date | null
}

/** A repeated change keeps the first time, and is no entry of the record. */
const change = ({ db, actor }: Context, { id, name, disabledAt }: Standing, query?: RowQuery): Promise<Account> =>
  db.prisma.$transaction(async (tx) => {
    const where = { id, disabledAt: disabledAt === null ? { not: null } : null }
    const { count } = await tx.account.updateMany({ where, data: { disabledAt } })
    const action = disabledAt === null ? 'account_enabled' : 'account_disabled'
    if (count > 0) await recordChange(sqlIn(tx), actor, { action, accountId: id, subjectId: id, subjectName: name })
    return tx.account.findUniqueOrThrow({ where: { id }, select: selectOf(ACCOUNT_VIEW, query) })
  })

const ownAccount = () =>
  invalidRequest('Ask another operator: you would lock yourself out of your own account.', [
    { path: '/account', message: "is the caller's own" },
  ])
