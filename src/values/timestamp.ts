const FORM =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,20}))?(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))?)?$/
const MS_PER_MINUTE = 60_000
const DAY_MS = 86_400_000
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
const TWO_DIGITS = Array.from({ length: 60 }, (_nothing, number) => String(number).padStart(2, '0'))
/** In statements about days only the time zone can be an invalid parameter. */
const INVALID_PARAMETER = '22023'

/**
 * Parses an RFC 3339 timestamp or a date (its midnight); UTC without a zone.
 * Rounds up to milliseconds; a leap second is the next midnight, as in Unix time. Returns null if invalid.
 */
export function parseTimestamp(text: string): Date | null {
  const [, date = '', clock = '00:00:00', fraction = '', , sign, hours, minutes] = FORM.exec(text) ?? []
  const isLeap = clock.endsWith(':60')
  const time = isLeap ? clock.replace(/60$/, '59') : clock
  const seconds = new Date(`${date}T${time}Z`)
  // JavaScript turns 30 February into 2 March, and 24:00 into the next day.
  if (Number.isNaN(seconds.getTime()) || seconds.toISOString().slice(0, 19) !== `${date}T${time}`) return null
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const second = seconds.getTime() - offset * MS_PER_MINUTE
  if (isLeap && !beginsMonth(second + 1000)) return null
  return new Date(within(second + (isLeap ? 1000 : milliseconds(fraction))))
}

const milliseconds = (fraction: string): number =>
  Number(fraction.padEnd(3, '0').slice(0, 3)) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0)

const beginsMonth = (ms: number): boolean => ms % DAY_MS === 0 && new Date(ms).getUTCDate() === 1

/** Offsets and rounding may leave the years of RFC 3339; PostgreSQL has no year 0. */
const within = (ms: number): number => Math.min(Math.max(ms, FIRST_MS), LAST_MS)

let known = { day: Number.NaN, text: '' }

/** Writes ISO 8601 as `toISOString` does. @throws RangeError for an invalid date */
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

/** PostgreSQL also takes offsets and abbreviations, with other meanings than JavaScript. */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|[A-Za-z]+(\/[A-Za-z0-9_+-]+){1,2})$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** PostgreSQL's list of zones may be of another year than that of Node.js. */
export const isUnknownZone = (error: unknown): boolean => (error as { code?: unknown }).code === INVALID_PARAMETER
