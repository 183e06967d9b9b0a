import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isTimeZone, isUnknownZone } from '../values/time-zone.ts'
import { type LedgerDay, ledgerDays } from './ledger-days.ts'
import { whoseAccount } from './whose-account.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 366

/** Which days. */
export interface CreditDaysInput {
  /** Id or name: for the operator alone. Every other caller has its own. */
  readonly account?: string | null | undefined
  /** The first day is the one that it lies in, whole. */
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  /** Whose days, `Europe/Berlin`; UTC unless given. */
  readonly timeZone?: string | null | undefined
}

/**
 * The sums of an account's ledger day by day, days without entries included.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function creditDays(ctx: Context, input: CreditDaysInput): Promise<LedgerDay[]> {
  const accountId = await whoseAccount(ctx, input.account)
  const { from, to, timeZone } = { ...input, to: input.to ?? ctx.now(), timeZone: input.timeZone ?? 'UTC' }
  if (from >= to) throw refuse('/from', 'must be before to')
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
    throw refuse('/from', `must not be more than ${MAX_DAYS} days before to`)
  if (!isTimeZone(timeZone)) throw refuse('/timeZone', 'must be the name of a time zone, such as Europe/Berlin')
  await closeWindow(ctx, 'credit_entry', input.to)
  return ledgerDays(ctx.db, accountId, { from, to, timeZone }).catch(refuseUnknownZone)
}

function refuseUnknownZone(error: unknown): never {
  if (!isUnknownZone(error)) throw error
  throw refuse('/timeZone', 'must be a time zone that the database knows, such as Europe/Berlin')
}

const refuse = (path: string, message: string) =>
  invalidRequest('Invalid arguments: see `details`.', [{ path, message }])
