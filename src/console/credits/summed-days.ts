import type { TimeRange } from '../operations.ts'

const DAY_MS = 86_400_000
/** The service sums so many at a time. */
const MAX_DAYS = 366

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })

/** The days of the reader's time zone that a range lies in, in words; null of less than a day, which their sums would say nothing of, and of more than the service sums. */
export function summedDays({ from, to }: TimeRange, now: number): string | null {
  if (!from) return null
  const [start, end] = [Date.parse(from), to ? Date.parse(to) : now]
  // Ends of ranges are exclusive.
  return end - start < DAY_MS || end - start > MAX_DAYS * DAY_MS ? null : day.formatRange(start, end - 1)
}
