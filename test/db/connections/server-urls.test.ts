import { describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/context/config.ts'
import { serverUrls } from '../../../src/db/connections/postgres-url.ts'

describe('a DATABASE_URL', () => {
  test.each([
    ['postgresql://u:p@one:5432/db', ['postgresql://u:p@one:5432/db']],
    ['postgresql:///db?host=%2Ftmp', ['postgresql:///db?host=%2Ftmp']],
    ['postgres://u:p@/db?host=/var/run', ['postgres://u:p@localhost/db?host=/var/run']],
    ['postgresql://u@/db?host=/tmp&port=5433', ['postgresql://u@localhost/db?host=/tmp&port=5433']],
    ['postgres://u:a%2Fb%23c%40d%25@one/db', ['postgres://u:a%2Fb%23c%40d%25@one/db']],
    ['postgres://one:1/db?user=a@b', ['postgres://one:1/db?user=a@b']],
    [
      'postgres://u@one:1,two:2/db?sslmode=require',
      ['postgres://u@one:1/db?sslmode=require', 'postgres://u@two:2/db?sslmode=require'],
    ],
    ['postgresql://[::1]:1,two/db', ['postgresql://[::1]:1/db', 'postgresql://two/db']],
    ['postgresql://one,two/db?target_session_attrs=read-write', ['postgresql://one/db', 'postgresql://two/db']],
  ])('names one server or several between commas: %s', (text, urls) => {
    expect(serverUrls(text)).toEqual(urls)
  })

  test.each([
    'mysql://one/db',
    'postgresql://one,/db',
    'postgresql://one:a,two/db',
    'postgresql://one/db?target_session_attrs=standby',
  ])('is refused where it is none, or asks for a standby: %s', (text) => {
    expect(() => serverUrls(text)).toThrow(RangeError)
  })
})

test.each([
  ['u:hunter/2@one/db', '/', '%2F'],
  ['u:12/hunter2@one/db', '/', '%2F'],
  ['u:hunter#2@one/db', '#', '%23'],
  ['u:12#hunter2@one/db', '#', '%23'],
  ['u:hunter?2@one/db', '?', '%3F'],
  ['u:12?hunter2@one/db', '?', '%3F'],
  ['u:hunter@2@one/db', '@', '%40'],
  ['u:hunter%2@one/db', '%', '%25'],
  ['u:hunter%@/db?host=/tmp', '%', '%25'],
])('a password with a bare sign is refused in words that name the sign alone: %s', (rest, sign, encoded) => {
  for (const name of ['DATABASE_URL', 'DIRECT_DATABASE_URL'])
    for (const scheme of ['postgres', 'postgresql']) {
      const refused = () => readSettings({ DATABASE_URL: 'postgres://one/db', [name]: `${scheme}://${rest}` })
      expect(refused).toThrow(
        `${name} must have each ${sign} of its user name and password percent-encoded, as ${encoded}`,
      )
      expect(refused).not.toThrow(/hunter/)
    }
})

describe('the settings of the connections', () => {
  test.each([
    [{ DATABASE_POOL_SIZE: '3' }, 'DATABASE_POOL_SIZE must be a whole number from 4 to 1000'],
    [{ DATABASE_POOL_SIZE: 'many' }, 'DATABASE_POOL_SIZE must be a whole number from 4 to 1000'],
    [{ DATABASE_URL: 'postgresql://one', DATABASE_PREPARE: 'yes' }, 'DATABASE_PREPARE must be on or off'],
    [
      { DIRECT_DATABASE_URL: 'postgresql://one' },
      'DIRECT_DATABASE_URL goes with a DATABASE_URL that leads through a pooler',
    ],
    [
      { DATABASE_URL: 'postgresql://one', DIRECT_DATABASE_URL: 'one' },
      'DIRECT_DATABASE_URL must be a URL that starts with postgres:// or postgresql://',
    ],
  ])('are refused where they make no sense: %j', (env, message) => {
    expect(() => readSettings(env)).toThrow(message)
  })
})
