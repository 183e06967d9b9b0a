/** PostgreSQL's code for an invalid parameter: in statements about days the time zone alone can be one. */
const INVALID_PARAMETER = '22023'

/** Whether it names a time zone: PostgreSQL would take offsets and abbreviations as well, and in other senses than JavaScript. */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|[A-Za-z]+(\/[A-Za-z0-9_+-]+){1,2})$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Whether a statement failed since PostgreSQL does not know its time zone: it has a list of its own, often of another year than that of Node.js. */
export const isUnknownZone = (error: unknown): boolean => (error as { code?: unknown }).code === INVALID_PARAMETER
