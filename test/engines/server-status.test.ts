import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../src/engines/server-failure.ts'

test.each([
  ['7', 7000],
  [' 0 ', 0],
  ['0.5', 500],
  ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
])('Retry-After %j asks for %i ms', (header, milliseconds) => {
  expect(parseRetryAfter(header)).toBe(milliseconds)
})

test('Retry-After with a date asks for the time until then', () => {
  const asked = parseRetryAfter(new Date(Date.now() + 60_000).toUTCString())
  expect(asked).toBeGreaterThan(50_000)
  expect(asked).toBeLessThanOrEqual(60_000)
})

test.each(['', '-1', '5, 6', 'soon 5', '1e3', 'Friday', undefined])(
  'Retry-After %j is nonsense, and counts as absent',
  (header) => {
    expect(parseRetryAfter(header)).toBeUndefined()
  },
)
