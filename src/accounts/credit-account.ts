import { requireConfirmedOperator } from '../access/require.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { sqlIn } from '../db/sql.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { type IdempotentRequest, idempotentRequest, recallJob, rememberJob } from '../idempotency/remember-response.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { newId } from '../values/id.ts'
import { type Account, findAccount, MAX_CREDITS } from './accounts.ts'
import { notifyAccount } from './notify-account.ts'

/** No caller's key begins like this, so an operator's key never equals one of a job. */
const KEY_SPACE = '\u0001credits '
const GRANTED = 'credits'

interface CreditInput {
  readonly account: string
  readonly amount: bigint
  readonly idempotencyKey?: string | null | undefined
}

/**
 * Grants credits, or takes some back, never below zero. A repetition returns the account as it is now.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST for an amount, NOT_FOUND, INVALID_REQUEST for a key, IDEMPOTENCY_MISMATCH, INVALID_REQUEST for a balance
 */
export async function creditAccount(ctx: Context & MeasuredParts, input: CreditInput): Promise<Account> {
  requireConfirmedOperator(ctx)
  const { amount, idempotencyKey } = input
  if (amount === 0n || amount > MAX_CREDITS || amount < -MAX_CREDITS) {
    throw badAmount(
      `Give an amount from 1 to ${MAX_CREDITS}, or a negative one to take credits back.`,
      'is out of range',
    )
  }
  const account = await findAccount(ctx, input.account)
  const sent = idempotentRequest({ accountId: account.id }, idempotencyKey, ['credit', String(amount)])
  const request = sent && { ...sent, key: KEY_SPACE + sent.key }
  const isRepeated = async () => request !== null && (await recallJob(ctx, request)) !== null
  if (await isRepeated()) return findAccount(ctx, account.id)
  const credits = await changeBalance(ctx, account, amount, request)
  if (credits === null) return (await isRepeated()) ? findAccount(ctx, account.id) : creditAccount(ctx, input)
  notifyAccount(ctx, account.id)
  ctx.telemetry.count('credits_total', { kind: amount > 0n ? 'grant' : 'withdrawal' }, Math.abs(Number(amount)))
  return { ...account, credits }
}

/** @returns the new balance; null, with nothing written, if the key was used before */
function changeBalance(
  ctx: Context,
  { id, name }: Account,
  amount: bigint,
  request: IdempotentRequest | null,
): Promise<bigint | null> {
  return ctx.db.prisma.$transaction(async (tx) => {
    if (request !== null && !(await rememberJob(sqlIn(tx), request, GRANTED))) return null
    await lockRow(tx, 'account', id)
    const { held } = await tx.account.findUniqueOrThrow({ where: { id }, select: { held: true } })
    // The update repeats the limits, so two changes at once cannot pass them together.
    const [changed] = await tx.account.updateManyAndReturn({
      where: { id, credits: { gte: held - amount, lte: MAX_CREDITS - amount } },
      data: { credits: { increment: amount } },
      select: { credits: true },
    })
    if (changed === undefined) {
      const hint = `Give an amount that leaves the balance between 0 and ${MAX_CREDITS}.`
      throw badAmount(hint, 'would leave a balance out of range')
    }
    await tx.creditEntry.create({
      data: { accountId: id, kind: 'grant', amount, publicId: newId('entry', ctx.now()) },
      select: { id: true },
    })
    const change = { accountId: id, subjectId: id, subjectName: name, detail: String(amount) }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'credits_granted', ...change })
    return changed.credits
  })
}

const badAmount = (hint: string, message: string) => invalidRequest(hint, [{ path: '/amount', message }])
