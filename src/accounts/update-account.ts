import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { ACCOUNT_VIEW, type Account, findAccount } from './accounts.ts'
import { checkMonthlyLimit } from './monthly-usage.ts'
import { checkMaxRunning, limitsInWords } from './running-jobs.ts'

export interface AccountChange {
  /** Id or name. */
  readonly account: string
  /** Credits of a calendar month in UTC; null: no limit. */
  readonly monthlyLimit?: number | null | undefined
  /** Jobs in status processing at once; null: no limit. */
  readonly maxRunning?: number | null | undefined
  readonly query?: RowQuery
}

/**
 * Changes what an account may use. Jobs that were accepted before stay accepted.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST, NOT_FOUND
 */
export async function updateAccount(ctx: Context, input: AccountChange): Promise<Account> {
  requireConfirmedOperator(ctx)
  const monthlyLimit = checkMonthlyLimit(input.monthlyLimit)
  const maxRunning = checkMaxRunning(input.maxRunning)
  const { id, name } = await findAccount(ctx, input.account)
  const account = await ctx.db.prisma.$transaction(async (tx) => {
    const data = {
      ...(monthlyLimit !== undefined && { monthlyLimit }),
      ...(maxRunning !== undefined && { maxRunning }),
    }
    const changed = await tx.account.update({ where: { id }, data, select: selectOf(ACCOUNT_VIEW, input.query) })
    const detail = limitsInWords(changed).join(', ') || 'no limits'
    const change = { accountId: id, subjectId: id, subjectName: name, detail }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'account_updated', ...change })
    return changed
  })
  if (maxRunning !== undefined) await ctx.queue.wakeAll(ctx.db)
  return account
}
