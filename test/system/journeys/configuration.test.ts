import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { call, freePorts } from '../../setup/http.ts'
import {
  cleanUp,
  type Env,
  makeDataDir,
  makeTempDir,
  processesOf,
  run,
  startService,
} from '../../setup/processes/process.ts'
import { listening } from '../../setup/servers/listening.ts'

const DEADLINE_MS = 180_000

/** Starts with these variables, on an unused directory unless they name one, which must fail; gives the lines that were printed. */
const refusedStart = async (env: Env) => {
  const dataDir = env.DATA_DIR ?? join(await makeTempDir(), 'data')
  const { code, stdout, stderr } = await run(['start'], { DATA_DIR: dataDir, ...env })
  expect(code).toBe(1)
  expect(processesOf(dataDir)).toEqual([])
  expect(stdout + stderr).not.toMatch(/\n\s+at .*:\d+:\d+/)
  return (stdout + stderr).split('\n')
}

const naming = (lines: string[], ...names: string[]) =>
  names.map((name) => lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line)).length)

describe('configuration', { timeout: DEADLINE_MS }, () => {
  afterAll(cleanUp)

  test('every wrong variable is reported in one start, one line each, without a password', async () => {
    const wrong = {
      PORT: 'eighty',
      RATE_LIMIT_PER_MINUTE: '-1',
      LOG_LEVEL: 'shout',
      PUBLIC_URL: 'not a url',
      DATABASE_URL: 'mysql://sonant:hunter2@127.0.0.1/sonant',
    }
    const lines = await refusedStart(wrong)
    expect(naming(lines, ...Object.keys(wrong))).toEqual([1, 1, 1, 1, 1])
    expect(lines.join('\n')).not.toContain('hunter2')
  })

  test('a database that does not answer is named with its variable, without its password', async () => {
    const [port] = await freePorts(1)
    const DATABASE_URL = `postgresql://sonant:hunter2@127.0.0.1:${port}/voices`
    const lines = await refusedStart({ DATABASE_URL })
    expect(naming(lines, 'DATABASE_URL', `127.0.0.1:${port}/voices`, 'ECONNREFUSED')).toEqual([1, 1, 1])
    const { stdout, stderr } = await run(['accounts', 'show', '--account', 'demo', '--json'], { DATABASE_URL })
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('DATABASE_URL'), error_code: 'UNAVAILABLE' })
    expect([...lines, stdout, stderr].join()).not.toContain('hunter2')
  })

  test.for([
    ['a database that its server does not have', { pathname: '/absent' }, 'absent'],
    ['a user whom its server does not let in', { username: 'stranger' }, 'stranger'],
  ] as const)('%s is reported with its variable', async ([, difference, name]) => {
    const url = Object.assign(new URL(inject('databaseUrl')), difference)
    const lines = await refusedStart({ DATABASE_URL: url.href })
    expect(naming(lines, 'DATABASE_URL', name)).toEqual([1, 1])
  })

  test('a variable given both as itself and as a file is a contradiction, reported with the other violations', async () => {
    const file = join(await makeTempDir(), 'port')
    await writeFile(file, '4001\n')
    const lines = await refusedStart({ PORT: '4000', PORT_FILE: file, LOG_LEVEL: 'shout' })
    expect(lines).toEqual([
      'Invalid configuration:',
      'Set either PORT or PORT_FILE, not both',
      expect.stringMatching(/^LOG_LEVEL /),
      '',
    ])
    const { code, stderr } = await run(['accounts', 'list'], { PORT: '4000', PORT_FILE: file })
    expect([code, stderr]).toEqual([1, 'Invalid configuration:\nSet either PORT or PORT_FILE, not both\n'])
  })

  test('a variable file that is missing is reported with its name', async () => {
    const lines = await refusedStart({ PORT_FILE: '/nonexistent/port', LOG_LEVEL: 'shout' })
    expect(naming(lines, 'PORT_FILE', 'LOG_LEVEL')).toEqual([1, 1])
    expect(lines.join('\n')).toContain('/nonexistent/port')
  })

  test('a variable is read from the file that its _FILE twin names', async () => {
    const file = join(await makeTempDir(), 'port')
    const [port] = await freePorts(1)
    await writeFile(file, `${port}\n`)
    const service = await startService({ port: port!, env: { PORT: undefined, PORT_FILE: file } })
    expect((await call(`${service.url}/api/v1/public/voice`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
  })

  test('a data directory that is a file is refused with its path and the reason', async () => {
    const file = join(await makeTempDir(), 'occupied')
    await writeFile(file, 'not a directory')
    const message = (await refusedStart({ DATA_DIR: file })).join('\n')
    expect(message).toContain(file)
    expect(message).toMatch(/not a directory|ENOTDIR|EEXIST|is a file/i)
  })

  test('a data directory below a file is refused with its path and the reason', async () => {
    const parent = await makeTempDir()
    await mkdir(join(parent, 'a'))
    await writeFile(join(parent, 'a', 'file'), '')
    const directory = join(parent, 'a', 'file', 'data')
    const message = (await refusedStart({ DATA_DIR: directory })).join('\n')
    expect(message).toContain(directory)
    expect(message).toMatch(/not a directory|ENOTDIR|is a file/i)
  })

  test.skipIf(process.platform !== 'linux')(
    'a data directory where nothing can be made is refused at once',
    async () => {
      const message = (await refusedStart({ DATA_DIR: '/proc/nope/x' })).join('\n')
      expect(message).toContain('/proc/nope/x cannot be used: it cannot be made there')
      expect(message).not.toContain('ENOENT')
    },
  )

  test.for(['artifacts', 'spill'])('a file in the place of the directory %s is refused with its path', async (name) => {
    const directory = await makeDataDir()
    await writeFile(join(directory, name), '')
    const message = (await refusedStart({ DATA_DIR: directory })).join('\n')
    expect(message).toContain(join(directory, name))
    expect(message).toMatch(/is a file and not a directory/)
  })

  test.for(['PORT', 'METRICS_PORT'])(
    'a %s in use is refused with its number in one sentence, and leaves no process behind',
    async (name) => {
      const [port] = await freePorts(1)
      const taken = await listening(createServer(), 0)
      onTestFinished(() => taken.close())
      const lines = await refusedStart({
        DATA_DIR: await makeDataDir(),
        PORT: String(port),
        [name]: String(taken.port),
      })
      const sentence = `another process listens on 127.0.0.1 port ${taken.port}: end it, or set ${name} to another one.`
      expect(naming(lines, name)).toEqual([1])
      expect(lines.at(-2)).toBe(`Sonant cannot start: ${sentence}`)
    },
  )
})
