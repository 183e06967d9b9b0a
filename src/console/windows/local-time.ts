const MINUTE_MS = 60_000
/** No field takes a year that the service does not: a day before that, as clocks west of UTC are behind it by up to 12 hours. */
export const LATEST_LOCAL_TIME = '9999-12-30T23:59'

/** A time as fields of the reader's own day and clock have it, to the minute: `2026-03-01T09:30`. Empty where there is none. */
export function localTime(iso: string | null | undefined): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  const minute = new Date(Math.floor(ms / MINUTE_MS) * MINUTE_MS)
  return new Date(minute.getTime() - minute.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** Reads such a field. An unchanged field means the time that filled it, to the second. @returns null: no time */
export function timeOfField(text: string, filledWith: string | null | undefined): string | null {
  if (text !== '' && text === localTime(filledWith)) return filledWith ?? null
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Years beyond 9999 are written with a sign, which sorts before digits. */
export const isBefore = (time: string, other: string): boolean => Date.parse(time) < Date.parse(other)
