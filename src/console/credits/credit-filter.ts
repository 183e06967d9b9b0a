import { endsOf, wrongEnds } from '../jobs/jobs-filter.ts'
import type { CreditKind, TimeRange } from '../operations.ts'
import { rangeOf } from '../windows/time-window.ts'

/** Why a balance changed, and the tone of its mark. */
export const KINDS: Readonly<Record<CreditKind, readonly [name: string, tone: string]>> = {
  GRANT: ['Grant', 'good'],
  CHARGE: ['Charge', 'calm'],
  REFUND: ['Refund', 'busy-still'],
  CARRIED: ['Carried over', 'calm'],
}

/** Every parameter of the address that filters the ledger. */
export const CREDIT_FILTERS = ['kind', 'window', 'from', 'to'] as const

interface CreditFilter {
  readonly kinds?: CreditKind[]
  readonly createdAt?: TimeRange
}

/** The filter of an address. What fits no more, as from an old link, is left out and named in `dropped`. */
export function creditFilterOf(
  query: Readonly<Record<string, string | undefined>>,
  now: number,
): { filter: CreditFilter; dropped: readonly string[] } {
  const kinds = (Object.keys(KINDS) as CreditKind[]).filter((kind) => kind.toLowerCase() === query.kind)
  const window = rangeOf(query.window, now)
  const createdAt = window ?? endsOf(query)
  const dropped = [
    ...(query.kind && kinds.length === 0 ? ['kind'] : []),
    ...(query.window && window === null ? ['window'] : []),
    ...wrongEnds(query),
  ]
  return { filter: { ...(kinds.length > 0 && { kinds }), ...(createdAt && { createdAt }) }, dropped }
}
