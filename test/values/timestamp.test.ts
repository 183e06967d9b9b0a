import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstIdAt, idTime, newId } from '../../src/values/id.ts'
import { formatTimestamp, parseTimestamp } from '../../src/values/timestamp.ts'

describe('parseTimestamp', () => {
  test.each([
    ['2026-01-31T09:05:00Z', '2026-01-31T09:05:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:05:00', '2026-01-31T09:05:00.000Z'],
    ['2026-01-31T09:05:00.1+02:30', '2026-01-31T06:35:00.100Z'],
    ['2026-01-31t09:05:00.1239z', '2026-01-31T09:05:00.124Z'],
    ['2026-01-31T23:59:59.9999999-00:00', '2026-02-01T00:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(moment)
  })

  test.each([
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60.75Z', '2017-01-01T00:00:00.000Z'],
    ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
    ['2015-07-01T05:29:60+05:30', '2015-07-01T00:00:00.000Z'],
  ])('the leap second %s is %s', (text, moment) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(moment)
  })

  test.each(['2016-12-31T23:59:61Z', '2016-12-31T22:59:60Z', '2016-12-30T23:59:60Z', '2016-12-31T23:59:60-08:00'])(
    '%s is no time',
    (text) => {
      expect(parseTimestamp(text)).toBe(null)
    },
  )

  test.each([
    ['0000-01-01', '0001-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00+14:00', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+23:59', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-12:00', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:60Z', '9999-12-31T23:59:59.999Z'],
  ])('%s, beyond what can be kept and written, is %s', (text, moment) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(moment)
  })

  test('what a date writes is what is read', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseTimestamp(date.toISOString())).toEqual(date)
        },
      ),
    )
  })
})

describe('firstIdAt', () => {
  test('parts the ids of earlier milliseconds from all others', () => {
    const id = newId('job')
    const made = idTime(id).getTime()
    expect(firstIdAt('job', new Date(made)) <= id).toBe(true)
    expect(firstIdAt('job', new Date(made + 1)) > id).toBe(true)
    fc.assert(
      fc.property(fc.nat(2 ** 30), fc.integer({ min: 0, max: 250_000 }), (low, high) => {
        const moment = new Date(high * 1_000_000_000 + low)
        const first = firstIdAt('job', moment)
        expect(idTime(first.slice(0, 14) + id.slice(14))).toEqual(moment)
        expect(first.slice(14)).toBe('0'.repeat(16))
      }),
    )
  })
})

test('a moment is written as toISOString writes it', () => {
  const anyMoment = fc.date({ noInvalidDate: true })
  fc.assert(fc.property(anyMoment, (date) => formatTimestamp(date) === date.toISOString()))
  for (const text of ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z']) {
    expect(formatTimestamp(new Date(text))).toBe(text)
  }
  expect(() => formatTimestamp(new Date(Number.NaN))).toThrow(RangeError)
})
