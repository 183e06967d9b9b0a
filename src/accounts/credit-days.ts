import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isTimeZone, isUnknownZone } from '../values/time-zone.ts'
import { type LedgerDay, ledgerDays } from './ledger-days.ts'
import { whoseAccount } from './whose-account.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 366

export interface CreditDaysInput {
  readonly account?: string | null | undefined
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly timeZone?: string | null | undefined
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED if the account's reads take too long */
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
