import { invalidRequest, type ServiceError } from '../../errors/service-error.ts'
import { isTimeZone, isUnknownZone } from '../../values/timestamp.ts'

/** No job is older. */
const FIRST_YEAR = 2020
/** One in summer and one in winter. */
const MONTHS = [0, 6] as const
const WHOLE_HOURS = /^GMT([+-]\d\d:00)?$/

/** @throws INVALID_REQUEST */
export function requireTimeZone(timeZone: string): void {
  if (!isTimeZone(timeZone)) throw refuse('must be the name of a time zone, such as Europe/Berlin')
}

/** @throws INVALID_REQUEST if that is the reason, else the error */
export function refuseUnknownZone(error: unknown): never {
  if (!isUnknownZone(error)) throw error
  throw refuse('must be a time zone that the database knows, such as Europe/Berlin')
}

const refuse = (message: string): ServiceError =>
  invalidRequest('Invalid arguments: see `details`.', [{ path: '/timeZone', message }])

/** Whether hours of this zone are hours of UTC, so that its days are made of them. */
export function hasWholeHours(timeZone: string, now: Date): boolean {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const years = Array.from({ length: now.getUTCFullYear() + 2 - FIRST_YEAR }, (_, index) => FIRST_YEAR + index)
  return years.every((year) => MONTHS.every((month) => WHOLE_HOURS.test(offsetAt(Date.UTC(year, month)))))
}
