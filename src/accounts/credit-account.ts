import { requireOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { inTransaction } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { MAX_CREDITS } from './account.ts'
import type { Account } from './account-view.ts'
import { findAccount } from './find-account.ts'

/**
 * Grants credits, or takes some back with a negative amount: never below zero.
 * @throws NOT_FOUND, INVALID_REQUEST
 */
export async function creditAccount(
  ctx: Context,
  input: { readonly account: string; readonly amount: bigint },
): Promise<Account> {
  requireOperator(ctx)
  if (input.amount === 0n || input.amount > MAX_CREDITS || input.amount < -MAX_CREDITS) {
    throw badAmount(
      `Give an amount from 1 to ${MAX_CREDITS}, or a negative one to take credits back.`,
      'is out of range',
    )
  }
  const account = await findAccount(ctx, input.account)
  const credits = await inTransaction(ctx.db, async (tx) => {
    const { rows } = await tx.query<{ credits: string }>(
      'update account set credits = credits + $2 where id = $1 and credits + $2 between 0 and $3 returning credits',
      [account.id, input.amount, MAX_CREDITS],
    )
    if (rows[0] === undefined) {
      const advice = `Give an amount that leaves the balance between 0 and ${MAX_CREDITS}.`
      throw badAmount(advice, 'would leave a balance out of range')
    }
    await tx.query(`insert into credit_entry (account_id, kind, amount) values ($1, 'grant', $2)`, [
      account.id,
      input.amount,
    ])
    return BigInt(rows[0].credits)
  })
  return { ...account, credits }
}

const badAmount = (advice: string, message: string) => invalidRequest(advice, [{ path: '/amount', message }])
