import { timeNow } from '../api/clock.ts'

const moment = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** Months of limits begin and end in UTC. */
const monthBegin = (now: number, later: 0 | 1): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)
}

/** When this month's limit ends, in the reader's time. */
export const untilWhen = (now = timeNow()): string => moment.format(monthBegin(now, 1))

/** The page of what was used in this month of limits. */
export const monthPath = (now = timeNow()): string => `/credits?from=${new Date(monthBegin(now, 0)).toISOString()}`
