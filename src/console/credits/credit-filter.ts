import { endsOf, wrongEnds } from '../jobs/jobs-filter.ts'
import type { CreditKind, TimeRange } from '../operations.ts'
import { rangeOf } from '../windows/time-window.ts'

/** Why a balance changed, and the tone of its mark. */
export const KINDS: Readonly<Record<CreditKind, readonly [name: string, tone: string]>> = {
  GRANT: ['Added', 'good'],
  CHARGE: ['Charge', 'calm'],
  REFUND: ['Refund', 'busy-still'],
  CARRIED: ['Carried over', 'calm'],
}

/** Every parameter of the address that filters usage and ledger. */
export const CREDIT_FILTERS = ['kind', 'window', 'from', 'to'] as const

/** Windows of whole days, today included; the first one is the default. Addresses may have those of other lists as well. */
const DAYS: Readonly<Record<string, number>> = { '30d': 30, '7d': 7, '90d': 90, '365d': 365 }
export const CREDIT_WINDOWS = [
  ['7d', 'Last 7 days'],
  ['90d', 'Last 90 days'],
  ['this-month', 'This month'],
  ['last-month', 'Last month'],
  ['365d', 'Last 365 days'],
] as const
export const DEFAULT_WINDOW = 'Last 30 days'

interface CreditFilter {
  readonly kinds?: CreditKind[]
  readonly createdAt: TimeRange
}

/** The filter of an address. What fits no more, as from an old link, is left out and named in `dropped`. */
export function creditFilterOf(
  query: Readonly<Record<string, string | undefined>>,
  now: number,
): { filter: CreditFilter; dropped: readonly string[] } {
  const kinds = (Object.keys(KINDS) as CreditKind[]).filter((kind) => kind.toLowerCase() === query.kind)
  const window = daysUpTo(query.window, now) ?? rangeOf(query.window, now)
  const createdAt = window ?? endsOf(query) ?? daysUpTo('30d', now) ?? {}
  const dropped = [
    ...(query.kind && kinds.length === 0 ? ['kind'] : []),
    ...(query.window && window === null ? ['window'] : []),
    ...wrongEnds(query),
  ]
  return { filter: { ...(kinds.length > 0 && { kinds }), createdAt }, dropped }
}

/** The last days of the reader's time zone, from a midnight on. */
function daysUpTo(name = '', now: number): TimeRange | null {
  const days = Object.hasOwn(DAYS, name) ? DAYS[name]! : null
  if (days === null) return null
  const today = new Date(now)
  return { from: new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1).toISOString() }
}
