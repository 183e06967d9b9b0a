import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { readSettings } from '../src/context/config.ts'

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0
if (!isInstalled) console.info('systemd-analyze is not installed: its own check of the units is skipped')

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))
const UNITS = ['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service', 'sonant-migrate.service']

const CREDENTIALS = 'sonant-credentials.conf'

/** In tenths: an exposure of 3. */
const THRESHOLD = '30'

test.skipIf(!isInstalled).each(UNITS)('systemd finds %s exposed to less than 3 of 10', (name) => {
  const unit = join(EXAMPLES, name)
  const args = ['security', '--offline=true', `--threshold=${THRESHOLD}`, unit]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args)
  expect(status, String(stdout).split('\n').at(-2) + String(stderr)).toBe(0)
})

test.skipIf(!isInstalled)('systemd finds nothing wrong with the units and their credentials', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-units-'))
  const paths = UNITS.map((name) => join(directory, name.replace('@', '@gpu')))
  // Where there are neither the sources nor the user yet.
  const placed = (name: string) =>
    readFileSync(join(EXAMPLES, name), 'utf8')
      .replaceAll('/opt/sonant/node_modules/.bin/node', process.execPath)
      .replaceAll('User=sonant', 'User=daemon')
  await Promise.all(UNITS.map((name, index) => writeFile(paths[index]!, placed(name))))
  for (const path of paths) {
    await mkdir(`${path}.d`)
    await writeFile(join(`${path}.d`, CREDENTIALS), readFileSync(join(EXAMPLES, CREDENTIALS)))
  }
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...paths])
  expect([status, String(stderr)]).toEqual([0, ''])
  await rm(directory, { recursive: true })
})

test.each(['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service'])(
  '%s counts as started once it serves, and is restarted when it hangs for half a minute',
  (name) => {
    const lines = readFileSync(join(EXAMPLES, name), 'utf8').split('\n')
    // systemd-notify, a process of its own, speaks to systemd.
    for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=30', 'Restart=always'])
      expect(lines).toContain(line)
  },
)

test.each(['sonant-api.service', 'sonant-worker@.service', 'sonant-gpu-worker.service'])(
  'in %s threads may lower their own priority',
  (name) => {
    const lines = readFileSync(join(EXAMPLES, name), 'utf8').matchAll(/^SystemCallFilter=(.*)$/gm)
    const isAllowed = [...lines].reduce(
      (allowed, [, filter = '']) =>
        /^~.*@resources/.test(filter) ? false : /@system-service|setpriority/.test(filter) || allowed,
      false,
    )
    expect(isAllowed).toBe(true)
  },
)

/** MemoryHigh and MemoryMax, in MiB or percent. */
const memoryOf = (text: string): number[] =>
  ['MemoryHigh', 'MemoryMax'].map((key) => {
    const [, number, unit] = new RegExp(`^${key}=(\\d+)([MG%])$`, 'm').exec(text) ?? []
    return Number(number) * (unit === 'G' ? 1024 : 1)
  })

test('a worker has the memory that its unit gives as the need of a process with a thread for each of 16 processors', () => {
  const text = readFileSync(join(EXAMPLES, 'sonant-worker@.service'), 'utf8')
  const [, base, each] = /(\d+)M \+ (\d+)M x processors/.exec(text) ?? []
  // The dictionary of Japanese takes 130 MB in each thread, the process some 400 MB besides.
  expect([Number(base) >= 400, Number(each) >= 130]).toEqual([true, true])
  expect(memoryOf(text)[0]).toBeGreaterThanOrEqual(Number(base) + 16 * Number(each))
})

test('migrations end before the API or a worker of the machine is started', () => {
  expect(readFileSync(join(EXAMPLES, 'sonant-migrate.service'), 'utf8')).toMatch(/^Type=oneshot$/m)
  for (const name of UNITS.filter((unit) => unit !== 'sonant-migrate.service')) {
    const unit = readFileSync(join(EXAMPLES, name), 'utf8')
    for (const key of ['After', 'Wants'])
      expect(unit).toMatch(new RegExp(`^${key}=.*\\bsonant-migrate\\.service\\b`, 'm'))
  }
})

test.each(UNITS)('%s has a limit of memory, and a lower one from which on it is slowed down', (name) => {
  const [high, max = 0] = memoryOf(readFileSync(join(EXAMPLES, name), 'utf8'))
  expect(high).toBeGreaterThan(0)
  expect(high).toBeLessThan(max)
})

test('the service reads the secrets that systemd has loaded for it, of a bucket where these lines are wanted', async () => {
  const given = readFileSync(join(EXAMPLES, CREDENTIALS), 'utf8')
  expect([...given.matchAll(/^(?:LoadCredential|Environment)=.*$/gm)].join('\n')).not.toMatch(/bucket|AWS_/)
  const lines = given.replace(/^#(?=(LoadCredential|Environment)=)/gm, '')
  const directory = await mkdtemp(join(tmpdir(), 'sonant-credentials-'))
  const secrets: Readonly<Record<string, string>> = {
    'database-url': 'postgresql://sonant@database.internal/sonant',
    'secret-key': 'a'.repeat(44),
    'bucket-key-id': 'an id',
    'bucket-key': 'a key',
  }
  // As systemd lays them out, where %d is its folder.
  const loaded = [...lines.matchAll(/^LoadCredential=([\w-]+):\/etc\/sonant\/credentials\/\1$/gm)].map(
    ([, id = '']) => id,
  )
  await Promise.all(loaded.map((id) => writeFile(join(directory, id), `${secrets[id]}\n`)))
  const variables = [...lines.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value = '']) => [
    name,
    value.replace('%d', directory),
  ])
  const example = parseEnv(readFileSync(join(EXAMPLES, 'env.example'), 'utf8'))
  const unset = Object.fromEntries(variables.map(([name = '']) => [name.replace(/_FILE$/, ''), '']))
  const settings = readSettings({ ...example, ...unset, ...Object.fromEntries(variables) })
  await rm(directory, { recursive: true })
  expect(settings).toMatchObject({
    databaseUrl: secrets['database-url'],
    secretKey: secrets['secret-key'],
    s3: { accessKeyId: secrets['bucket-key-id'], secretAccessKey: secrets['bucket-key'] },
  })
  expect(loaded).toEqual(Object.keys(secrets))
})
