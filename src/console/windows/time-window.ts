import type { TimeRange } from '../operations.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** How far back, in hours. */
const HOURS: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, '365d': 8760 }
/** Calendar months of the reader's time zone: how many ago. */
const MONTHS: Readonly<Record<string, number>> = { 'this-month': 0, 'last-month': 1 }

/** The windows of time that lists are filtered by, as addresses name them, in words. */
export const WINDOW_OPTIONS = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['this-month', 'This month'],
  ['last-month', 'Last month'],
] as const

/** A window of an address; null where it means none. It begins at a whole minute, so that asking again asks the same. */
export function rangeOf(name: string | undefined, now: number): TimeRange | null {
  const hours = own(HOURS, name)
  if (hours !== undefined) return { from: iso(Math.floor(now / MINUTE_MS) * MINUTE_MS - hours * HOUR_MS) }
  const months = own(MONTHS, name)
  if (months === undefined) return null
  const from = iso(monthStart(now, months))
  return months === 0 ? { from } : { from, to: iso(monthStart(now, months - 1)) }
}

/** Addresses may say `constructor`. */
const own = (table: Readonly<Record<string, number>>, name = ''): number | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function monthStart(now: number, monthsAgo: number): number {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth() - monthsAgo, 1).getTime()
}

const iso = (ms: number): string => new Date(ms).toISOString()
