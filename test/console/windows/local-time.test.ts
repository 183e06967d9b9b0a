import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isBefore, LATEST_LOCAL_TIME, localTime, timeOfField } from '../../../src/console/windows/local-time.ts'

const zone = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'Asia/Kolkata'
})
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

describe('the field of a time', () => {
  test("has the day and clock of its reader's zone, to the minute", () => {
    expect(localTime('2026-03-01T22:04:59.999Z')).toBe('2026-03-02T03:34')
    expect(localTime('1969-12-31T18:29:30Z')).toBe('1969-12-31T23:59')
    expect([localTime(undefined), localTime(null), localTime('soon')]).toEqual(['', '', ''])
  })

  test('means a time of that zone, and nothing while it is empty', () => {
    expect(timeOfField('2026-03-02T03:34', null)).toBe('2026-03-01T22:04:00.000Z')
    expect([timeOfField('', null), timeOfField('', '2026-03-01T22:04:59.999Z')]).toEqual([null, null])
  })

  test('means what it was filled with, to the second, while it is not changed', () => {
    const filled = '2026-03-01T22:04:59.999Z'
    expect(timeOfField(localTime(filled), filled)).toBe(filled)
    expect(timeOfField('2026-03-02T03:35', filled)).toBe('2026-03-01T22:05:00.000Z')
  })

  test.each(['Etc/GMT+12', 'America/Los_Angeles', 'Pacific/Kiritimati'])(
    'is at its latest a time of the year 9999 in %s',
    (timeZone) => {
      const before = process.env.TZ
      onTestFinished(() => {
        process.env.TZ = before
      })
      process.env.TZ = timeZone
      expect(timeOfField(LATEST_LOCAL_TIME, null)).toMatch(/^9999-12-3/)
    },
  )

  test('is before another one by time, whatever the years look like', () => {
    const [early, late] = ['9999-12-31T23:59:00.000Z', '+010000-01-01T04:59:00.000Z']
    expect([isBefore(early, late), isBefore(late, early), isBefore(late, late)]).toEqual([true, false, false])
  })
})
