import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { ACCOUNT_VIEW, type Account, checkAccountName, explainTakenName, findAccount } from './accounts.ts'
import { checkMonthlyLimit } from './monthly-usage.ts'
import { checkMaxRunning, limitsInWords } from './running-jobs.ts'

export interface AccountChange {
  /** Id or name. */
  readonly account: string
  readonly name?: string | null | undefined
  /** Credits of a calendar month in UTC; null: no limit. */
  readonly monthlyLimit?: number | null | undefined
  /** Jobs in status processing at once; null: no limit. */
  readonly maxRunning?: number | null | undefined
  readonly query?: RowQuery
}

/**
 * Renames an account, or changes what it may use. Jobs that were accepted before stay accepted.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST, also for a name in use, NOT_FOUND
 */
export async function updateAccount(ctx: Context, input: AccountChange): Promise<Account> {
  requireConfirmedOperator(ctx)
  const monthlyLimit = checkMonthlyLimit(input.monthlyLimit)
  const maxRunning = checkMaxRunning(input.maxRunning)
  const name = input.name ?? undefined
  if (name !== undefined) checkAccountName(name)
  const before = await findAccount(ctx, input.account)
  const { id } = before
  const update = ctx.db.prisma.$transaction(async (tx) => {
    const data = {
      ...(name !== undefined && { name }),
      ...(monthlyLimit !== undefined && { monthlyLimit }),
      ...(maxRunning !== undefined && { maxRunning }),
    }
    const changed = await tx.account.update({ where: { id }, data, select: selectOf(ACCOUNT_VIEW, input.query) })
    const change = { accountId: id, subjectId: id, subjectName: before.name }
    if (name !== undefined && name !== before.name)
      await recordChange(sqlIn(tx), ctx.actor, { action: 'account_renamed', ...change, detail: name })
    if (monthlyLimit !== undefined || maxRunning !== undefined || name === undefined) {
      const detail = limitsInWords(changed).join(', ') || 'no limits'
      await recordChange(sqlIn(tx), ctx.actor, { action: 'account_updated', ...change, detail })
    }
    return changed
  })
  const account = await update.catch((error: unknown) => explainTakenName(error, name ?? ''))
  if (maxRunning !== undefined) await ctx.queue.wakeAll(ctx.db)
  return account
}
