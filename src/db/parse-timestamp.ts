import { types } from 'pg'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const ZERO = 48
const FRACTION_AT = 20
const parseAny = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date

let known = { day: '', midnight: 0 }

export function parseDatabaseTimestamp(text: string): Date {
  if (!text.endsWith('+00') || text.charCodeAt(10) !== 32 || text.charCodeAt(0) === ZERO) return parseAny(text)
  const day = text.slice(0, 10)
  if (known.day !== day) known = { day, midnight: Date.parse(`${day}T00:00:00Z`) }
  const hours = twoDigits(text, 11) * HOUR_MS + twoDigits(text, 14) * MINUTE_MS + twoDigits(text, 17) * SECOND_MS
  return new Date(known.midnight + hours + milliseconds(text))
}

export const timestampTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === types.builtins.TIMESTAMPTZ && format !== 'binary'
      ? parseDatabaseTimestamp
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

function milliseconds(text: string): number {
  const digits = text.length - '+00'.length - FRACTION_AT
  let sum = 0
  for (let place = 0, worth = 100; place < 3; place++, worth /= 10) {
    if (place < digits) sum += digit(text, FRACTION_AT + place) * worth
  }
  return sum
}
