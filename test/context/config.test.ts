import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/context/config.ts'

describe('the settings', () => {
  test.each([
    [
      'a secret out of an example',
      { SECRET_KEY: 'change-me-change-me-change-me-change-me' },
      'SECRET_KEY must not be the value of an example',
    ],
    ['every address and no public one', { HOST: '0.0.0.0' }, 'PUBLIC_URL is needed where HOST is 0.0.0.0'],
    [
      'one port for the API and the metrics',
      { PORT: '4100', METRICS_PORT: '4100' },
      'METRICS_PORT must be another one',
    ],
    ['one port in two spellings', { PORT: '4100', METRICS_PORT: '04100' }, 'METRICS_PORT must be another one'],
    ["PORT's default for the metrics", { METRICS_PORT: '4000' }, 'METRICS_PORT must be another one'],
    [
      'one port on two names of the loopback',
      { HOST: 'localhost', METRICS_PORT: '4000', METRICS_HOST: '::1' },
      'METRICS_PORT must be another one',
    ],
    ['a bucket of two letters', { STORAGE_URL: 's3://ab' }, 'must name a bucket of 3 to 63'],
    ['every IPv6 address and no public one', { HOST: '::' }, 'PUBLIC_URL is needed where HOST is ::'],
    ['a warm-up that is neither on nor off', { WARM_UP: 'later' }, 'WARM_UP must be on or off'],
    ['a migration that is neither on nor off', { MIGRATE: 'yes' }, 'MIGRATE must be on or off'],
    ['a cell of two letters', { CELL: 'ab' }, 'CELL must be one lower-case letter or digit'],
    ['a cell of a capital letter', { CELL: 'A' }, 'CELL must be one lower-case letter or digit'],
  ])('with %s are refused by the name of the variable', (_what, env, reason) => {
    expect(() => readSettings(env)).toThrow(reason)
  })

  test.each(['0', '0.0', '::0', '0:0:0:0:0:0:0:0', '[::]', '::ffff:0.0.0.0'])(
    'with %s, which is every address as well, need a public one',
    (HOST) => {
      expect(() => readSettings({ HOST })).toThrow(`PUBLIC_URL is needed where HOST is ${HOST}:`)
    },
  )

  test('let a process listen everywhere whose clients know another address', () => {
    expect(readSettings({ HOST: '0.0.0.0', PUBLIC_URL: 'https://voice.example.org' })).toMatchObject({
      host: '0.0.0.0',
    })
  })

  test('let the metrics have the port of the API on another address', () => {
    const env = { HOST: '192.0.2.1', METRICS_PORT: '4000', METRICS_HOST: '192.0.2.2' }
    expect(readSettings(env).metrics).toEqual({ port: 4000, host: '192.0.2.2' })
  })

  test('are not looked up for an endpoint file, nor are the files that hold them; other variables are', () => {
    const secrets = { SECRET_KEY: 's'.repeat(40), DATABASE_URL: 'postgres://u:p@127.0.0.1/d' }
    const { lookUp } = readSettings({ ...secrets, COMPANION_API_KEY_FILE: import.meta.filename, SPEECH_KEY: 'sk-1' })
    const names = ['SECRET_KEY', 'DATABASE_URL', 'COMPANION_API_KEY', 'COMPANION_API_KEY_FILE', 'SPEECH_KEY']
    expect(names.map(lookUp)).toEqual([undefined, undefined, undefined, undefined, 'sk-1'])
  })

  test('let a start migrate unless they say otherwise', () => {
    expect([readSettings({}).migrate, readSettings({ MIGRATE: 'off' }).migrate]).toEqual([true, false])
  })
})
