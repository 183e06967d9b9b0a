import fc from 'fast-check'
import { types } from 'pg'
import { expect, test } from 'vitest'
import { parseDatabaseTimestamp } from '../../src/db/database.ts'

const parseAny = types.getTypeParser(types.builtins.TIMESTAMPTZ) as (text: string) => Date

test('a time in UTC is the millisecond that PostgreSQL wrote', () => {
  const anyMoment = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(anyMoment, (date) => {
      // As PostgreSQL does: no zeros at the end of the fraction, and no dot without one.
      const text = date
        .toISOString()
        .replace('T', ' ')
        .replace(/\.?0*Z$/, '+00')
      expect(parseDatabaseTimestamp(text)).toEqual(date)
    }),
  )
})

test.each([
  '2026-01-31 09:05:00+00',
  '2026-01-31 09:05:00.1+00',
  '2026-01-31 09:05:00.123456+00',
  '2026-01-31 09:05:00.000999+00',
  '2026-01-31 09:05:00.12+02',
  '2026-01-31 09:05:00-05:30',
  '0099-01-31 09:05:00+00',
  '0044-03-15 09:05:00+00 BC',
  '12026-01-31 09:05:00+00',
  'infinity',
  '-infinity',
])('%s is what pg makes of it', (text) => {
  expect(parseDatabaseTimestamp(text)).toEqual(parseAny(text))
})
