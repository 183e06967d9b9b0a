import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { sqlIn } from '../db/sql.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { MAX_CREDITS } from './account.ts'
import type { Account } from './account-view.ts'
import { findAccount } from './find-account.ts'
import { notifyAccount } from './notify-account.ts'

/**
 * Grants credits, or takes some back with a negative amount: never below zero.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST for an amount out of range, NOT_FOUND, INVALID_REQUEST for a balance
 * out of range
 */
export async function creditAccount(
  ctx: Context,
  input: { readonly account: string; readonly amount: bigint },
): Promise<Account> {
  requireConfirmedOperator(ctx)
  if (input.amount === 0n || input.amount > MAX_CREDITS || input.amount < -MAX_CREDITS) {
    throw badAmount(
      `Give an amount from 1 to ${MAX_CREDITS}, or a negative one to take credits back.`,
      'is out of range',
    )
  }
  const account = await findAccount(ctx, input.account)
  const { id } = account
  const credits = await ctx.db.prisma.$transaction(async (tx) => {
    // One UPDATE that repeats the limits: two changes at once cannot leave them together.
    const [changed] = await tx.account.updateManyAndReturn({
      where: { id, credits: { gte: -input.amount, lte: MAX_CREDITS - input.amount } },
      data: { credits: { increment: input.amount } },
      select: { credits: true },
    })
    if (changed === undefined) {
      const hint = `Give an amount that leaves the balance between 0 and ${MAX_CREDITS}.`
      throw badAmount(hint, 'would leave a balance out of range')
    }
    await tx.creditEntry.create({ data: { accountId: id, kind: 'grant', amount: input.amount }, select: { id: true } })
    const change = { accountId: id, subjectId: id, subjectName: account.name, detail: String(input.amount) }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'credits_granted', ...change })
    return changed.credits
  })
  notifyAccount(ctx, id)
  ctx.telemetry.count(
    'credits_total',
    { kind: input.amount > 0n ? 'grant' : 'withdrawal' },
    Math.abs(Number(input.amount)),
  )
  return { ...account, credits }
}

const badAmount = (hint: string, message: string) => invalidRequest(hint, [{ path: '/amount', message }])
