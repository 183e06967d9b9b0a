/** In statements about days only the time zone can be an invalid parameter. */
const INVALID_PARAMETER = '22023'

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
