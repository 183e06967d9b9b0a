import type { Context } from '../context/context.ts'
import { whoseAccount } from './accounts.ts'
import { type LedgerDay, ledgerDays } from './credit-entries.ts'

const DAY_MS = 86_400_000
const SEEN_DAYS = 28

export interface SpendingInput {
  readonly account?: string | null | undefined
}

/** Days and months are those of UTC, as those of monthly limits. */
export interface Spending {
  /** Beginning of the month. */
  readonly month: Date
  /** Charges less refunds of the month so far. */
  readonly spent: number
  /** `spent`, and for the rest of the month the means of its weekdays; null without a mean. */
  readonly forecast: number | null
  /** Mean of the last 28 whole days, or of those since the account began; null without such a day or if nothing was spent. */
  readonly perDay: number | null
  /** Days that the balance lasts at that mean. */
  readonly balanceDays: number | null
}

type Spent = Pick<LedgerDay, 'at' | 'spent'>

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED if the account's reads take too long */
export async function spending(ctx: Context, input: SpendingInput): Promise<Spending> {
  const accountId = await whoseAccount(ctx, input.account)
  const now = ctx.now()
  const month = monthOf(now)
  const from = new Date(Math.min(month.getTime(), dayOf(now) - SEEN_DAYS * DAY_MS))
  const [account, days] = await Promise.all([
    ctx.db.prisma.account.findUniqueOrThrow({ where: { id: accountId }, select: { credits: true, createdAt: true } }),
    ledgerDays(ctx.db, accountId, { from, to: now, timeZone: 'UTC' }),
  ])
  return spendingOf({ days, credits: Number(account.credits), createdAt: account.createdAt, now })
}

interface Known {
  /** Oldest first; the last one is today. */
  readonly days: readonly Spent[]
  readonly credits: number
  readonly createdAt: Date
  readonly now: Date
}

export function spendingOf({ days, credits, createdAt, now }: Known): Spending {
  const month = monthOf(now)
  const spent = sumOf(days.filter(({ at }) => at >= month))
  // The day in which the account was made is none that it could spend in as a whole.
  const first = Math.max(dayOf(now) - SEEN_DAYS * DAY_MS, dayOf(createdAt) + DAY_MS)
  const seen = days.filter(({ at }) => at.getTime() >= first && at.getTime() < dayOf(now))
  const perDay = seen.length === 0 ? 0 : sumOf(seen) / seen.length
  if (perDay <= 0) return { month, spent, forecast: null, perDay: null, balanceDays: null }
  const forecast = Math.round(spent + restOfMonth(now, (at) => meanOf(seen, at) ?? perDay))
  return { month, spent, forecast, perDay, balanceDays: Math.max(0, Math.floor(credits / perDay)) }
}

/** The mean of the same weekday; null if there was none yet. */
function meanOf(seen: readonly Spent[], at: number): number | null {
  const alike = seen.filter((day) => day.at.getUTCDay() === new Date(at).getUTCDay())
  return alike.length === 0 ? null : sumOf(alike) / alike.length
}

/** Adds up what the days from now to the end of the month will take, today by the part of it that is left. */
function restOfMonth(now: Date, expected: (at: number) => number): number {
  const today = dayOf(now)
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  let sum = expected(today) * (1 - (now.getTime() - today) / DAY_MS)
  for (let at = today + DAY_MS; at < end; at += DAY_MS) sum += expected(at)
  return sum
}

const sumOf = (days: readonly Spent[]): number => days.reduce((sum, { spent }) => sum + spent, 0)

const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS) * DAY_MS

const monthOf = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1))
