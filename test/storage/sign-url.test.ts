import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isStorageKey, signMediaPath, verifyMediaPath } from '../../src/storage/sign-url.ts'

const NOW = new Date('2026-01-31T09:05:00Z')
const NOW_SECONDS = NOW.getTime() / 1000
const EXPIRES = NOW_SECONDS + 900
const KEY = 'job_01/audio.wav'
const WAV = { contentType: 'audio/wav' }
const signingKey = randomBytes(32)

const sign = (key = KEY, contentType = 'audio/wav', expires = EXPIRES) =>
  signMediaPath(signingKey, { key, contentType, expires })

const keys = fc
  .array(fc.stringMatching(/^[a-z0-9_-][a-z0-9_.-]{0,9}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'))
const grants = fc.record(
  {
    key: keys,
    contentType: fc.string({ unit: 'grapheme', minLength: 1 }),
    expires: fc.integer({ min: EXPIRES, max: EXPIRES + 1e9 }),
    cell: fc.constantFrom('a', '7'),
  },
  { requiredKeys: ['key', 'contentType', 'expires'] },
)

describe('signMediaPath and verifyMediaPath', () => {
  test('every grant comes back as it was signed', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        expect(verifyMediaPath(signingKey, signMediaPath(signingKey, grant), NOW)).toEqual(grant)
      }),
    )
  })

  test('changing, removing or adding any one character is refused', () => {
    fc.assert(
      fc.property(grants, fc.nat(), fc.nat(2), fc.string({ maxLength: 1 }), (grant, at, removed, added) => {
        const path = signMediaPath(signingKey, grant)
        const index = at % (path.length + 1)
        const changed = path.slice(0, index) + added + path.slice(index + removed)
        fc.pre(changed !== path)
        expect(verifyMediaPath(signingKey, changed, NOW)).toBeNull()
      }),
      { numRuns: 1000 },
    )
  })

  const [path, query] = sign().split('?') as [string, string]
  const [type, expires, signature] = query.split('&') as [string, string, string]
  const inCell = signMediaPath(signingKey, { key: KEY, ...WAV, expires: EXPIRES, cell: 'a' })
  const nextInAlphabet = String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)
  const refused: Record<string, string> = {
    'no query': path,
    'an empty query': `${path}?`,
    'no signature': `${path}?${type}&${expires}`,
    'an empty signature': `${path}?${type}&${expires}&signature=`,
    'a truncated signature': sign().slice(0, -1),
    'a longer signature': `${sign()}A`,
    'a padded signature': `${sign()}=`,
    'spare bits of the signature changed': sign().slice(0, -1) + nextInAlphabet,
    'another signature': `${path}?${type}&${expires}&signature=${'A'.repeat(43)}`,
    'another key': sign().replace('job_01', 'job_02'),
    'another type': sign().replace('wav?type=audio%2Fwav', 'wav?type=text%2Fhtml'),
    'a lower-case escape': sign().replace('%2F', '%2f'),
    'an unescaped slash': sign().replace('%2F', '/'),
    'a broken escape': sign().replace('%2F', '%FF'),
    'a later expiry': sign().replace(String(EXPIRES), String(EXPIRES + 1)),
    'an expiry with a leading zero': sign().replace(String(EXPIRES), `0${EXPIRES}`),
    'a fractional expiry': sign().replace(String(EXPIRES), `${EXPIRES}.0`),
    'an exponent': sign().replace(String(EXPIRES), '1e99'),
    'a negative expiry': sign().replace(String(EXPIRES), '-1'),
    'a huge expiry': sign().replace(String(EXPIRES), '9'.repeat(400)),
    'a repeated parameter': `${sign()}&${signature}`,
    'a repeated first parameter': sign().replace('?', `?${type}&`),
    'an extra parameter': `${sign()}&x=1`,
    'another order': `${path}?${expires}&${type}&${signature}`,
    'an escaped letter in the path': sign().replace('audio.wav', '%61udio.wav'),
    'an escaped slash in the path': sign().replace('job_01/', 'job_01%2F'),
    'a doubled slash': sign().replace('job_01/', 'job_01//'),
    'a dot part': sign().replace('job_01/', 'job_01/./'),
    'a way up': sign().replace('job_01/', '../job_01/'),
    'an expired URL': sign(KEY, 'audio/wav', NOW_SECONDS),
    'a long expired URL': sign(KEY, 'audio/wav', 1),
    'a URL signed with another key': signMediaPath(randomBytes(32), { key: KEY, ...WAV, expires: EXPIRES }),
    'a bad key': '/media/',
    'a cell that was not signed': sign().replace('&signature', '&cell=a&signature'),
    'another cell': inCell.replace('cell=a', 'cell=b'),
    'a cell that was taken away': inCell.replace('&cell=a', ''),
  }

  test.each(Object.entries(refused))('%s is refused', (_, url) => {
    expect(verifyMediaPath(signingKey, url, NOW)).toBeNull()
  })

  test('a bad key is not signed', () => {
    expect(() => sign('../up')).toThrow(RangeError)
    expect(isStorageKey('a'.repeat(513))).toBe(false)
  })
})
