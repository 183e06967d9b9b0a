const FORM =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,20}))?(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/
const MS_PER_MINUTE = 60_000
const DAY_MS = 86_400_000
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
const TWO_DIGITS = Array.from({ length: 60 }, (_nothing, number) => String(number).padStart(2, '0'))

/**
 * A timestamp as RFC 3339 writes it, or a plain date, which is its midnight; no zone means UTC. What is finer than
 * a millisecond is rounded up: as a bound of times in whole milliseconds it then means the same. A leap second is the midnight
 * after it, as in Unix time. null: there is no such time.
 */
export function parseTimestamp(text: string): Date | null {
  const [, date = '', clock = '00:00:00', fraction = '', , sign, hours, minutes] = FORM.exec(text) ?? []
  const isLeap = clock.endsWith(':60')
  const time = isLeap ? clock.replace(/60$/, '59') : clock
  const seconds = new Date(`${date}T${time}Z`)
  // JavaScript turns the 30th of February into the 2nd of March, and 24:00 into the next day.
  if (Number.isNaN(seconds.getTime()) || seconds.toISOString().slice(0, 19) !== `${date}T${time}`) return null
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const second = seconds.getTime() - offset * MS_PER_MINUTE
  if (isLeap && !beginsMonth(second + 1000)) return null
  return new Date(within(second + (isLeap ? 1000 : milliseconds(fraction))))
}

const milliseconds = (fraction: string): number =>
  Number(fraction.padEnd(3, '0').slice(0, 3)) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0)

/** Leap seconds are inserted at the end of months alone. */
const beginsMonth = (ms: number): boolean => ms % DAY_MS === 0 && new Date(ms).getUTCDate() === 1

/** An offset or rounding leads beyond the years that RFC 3339 can write, and PostgreSQL knows no year 0: nothing is kept of these times. */
const within = (ms: number): number => Math.min(Math.max(ms, FIRST_MS), LAST_MS)

/** The day that was written last: timestamps that are shown together are mostly of one day. */
let known = { day: Number.NaN, text: '' }

/** What `toISOString` writes, in a fifth of its time: `2026-01-31T09:05:00.000Z`. @throws RangeError for an invalid date */
export function formatTimestamp(date: Date): string {
  const ms = date.getTime()
  const day = Math.floor(ms / DAY_MS)
  if (known.day !== day) known = { day, text: date.toISOString().slice(0, -'09:05:00.000Z'.length) }
  const rest = ms - day * DAY_MS
  const minutes = Math.floor(rest / MS_PER_MINUTE)
  const thousandths = rest % 1000
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[Math.floor(rest / 1000) % 60]}`
  return `${known.text}${time}.${thousandths < 100 ? '0' : ''}${thousandths < 10 ? '0' : ''}${thousandths}Z`
}
