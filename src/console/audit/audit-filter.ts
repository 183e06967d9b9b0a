import { endsOf, wrongEnds } from '../jobs/jobs-filter.ts'
import type { AuditedAction, TimeRange } from '../operations.ts'
import { rangeOf } from '../windows/time-window.ts'
import { ACTIONS } from './audit-words.ts'

type Query = Readonly<Record<string, string | undefined>>

/** Every parameter of the audit's address that filters. */
export const AUDIT_FILTERS = ['action', 'window', 'from', 'to', 'account'] as const

interface AuditFilter {
  readonly actions?: AuditedAction[]
  readonly createdAt?: TimeRange
}

/** The filter of an address. What fits no more, as from an old link, is left out and named in `dropped`. */
export function auditFilterOf(query: Query, now: number): { filter: AuditFilter; dropped: readonly string[] } {
  const asked = (query.action ?? '').split(',').filter((name) => name !== '')
  const known = (Object.keys(ACTIONS) as AuditedAction[]).filter((action) => asked.includes(action.toLowerCase()))
  const window = rangeOf(query.window, now)
  const createdAt = window ?? endsOf(query)
  const dropped = [
    ...(known.length < asked.length ? ['action'] : []),
    ...(query.window && window === null ? ['window'] : []),
    ...wrongEnds(query),
  ]
  const filter = {
    ...(known.length > 0 && { actions: known }),
    ...(createdAt && { createdAt }),
  }
  return { filter, dropped }
}
