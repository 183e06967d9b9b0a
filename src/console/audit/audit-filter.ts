import { WINDOWS } from '../jobs/jobs-filter.ts'
import type { AuditedAction, TimeRange } from '../operations.ts'
import { ACTIONS } from './audit-words.ts'

type Query = Readonly<Record<string, string | undefined>>

/** Every parameter of the audit's address that filters. */
export const AUDIT_FILTERS = ['action', 'window', 'account'] as const

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

interface AuditFilter {
  readonly actions?: AuditedAction[]
  readonly createdAt?: TimeRange
}

/** The filter of an address. What fits no more, as from an old link, is left out and named in `dropped`. */
export function auditFilterOf(query: Query, now: number): { filter: AuditFilter; dropped: readonly string[] } {
  const asked = (query.action ?? '').split(',').filter((name) => name !== '')
  const known = (Object.keys(ACTIONS) as AuditedAction[]).filter((action) => asked.includes(action.toLowerCase()))
  const hours = WINDOWS[query.window ?? '']
  const from = hours === undefined ? null : Math.floor(now / MINUTE_MS) * MINUTE_MS - hours * HOUR_MS
  const dropped = [
    ...(known.length < asked.length ? ['action'] : []),
    ...(query.window && hours === undefined ? ['window'] : []),
  ]
  const filter = {
    ...(known.length > 0 && { actions: known }),
    ...(from !== null && { createdAt: { from: new Date(from).toISOString() } }),
  }
  return { filter, dropped }
}
