import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { stopPostmaster } from '../../../src/db/embedded/embedded-postmaster.ts'
import { ask, embeddedWorkshop, isStopped, postmaster, until } from '../../setup/postgres/embedded.ts'

const workshop = embeddedWorkshop()
const onLinux = process.platform === 'linux'

describe('embedded', () => {
  afterEach(() => workshop.clean())

  test('the second process attaches, and the last one to close stops it, whichever started it', async () => {
    const dataDir = await workshop.directory()
    const first = await workshop.open(dataDir)
    const started = await postmaster(dataDir)
    const second = await workshop.open(join(dataDir, '.', 'postgres', '..'))
    expect(second.url).toBe(first.url)
    expect(await postmaster(dataDir)).toBe(started)
    await first.close()
    expect(await ask(second, 'select 1 as one')).toEqual([{ one: 1 }])
    await second.close()
    expect(isStopped(dataDir)).toBe(true)
  })

  test('a process that attaches runs no other program for it', async () => {
    const [dataDir, programs] = [await workshop.made(), await workshop.directory()]
    await writeFile(join(programs, 'setpriv'), `#!/bin/sh\ntouch ${programs}/ran\nexit 1\n`, { mode: 0o755 })
    await workshop.open(dataDir)
    const second = workshop.start(dataDir, { PATH: `${programs}:${process.env.PATH}` })
    expect(await second.ready).toBe('ready with 0 accounts')
    expect(existsSync(join(programs, 'ran'))).toBe(false)
  })

  test('processes that close at the same time leave nothing running', async () => {
    const dataDir = await workshop.made()
    for (let round = 0; round < 5; round++) {
      const all = [await workshop.open(dataDir), await workshop.open(dataDir), await workshop.open(dataDir)]
      await Promise.all(all.map((embedded) => embedded.close()))
      expect(isStopped(dataDir)).toBe(true)
    }
  })

  test('a process that closes while it starts the database again leaves nothing running', async () => {
    const dataDir = await workshop.made()
    const embedded = await workshop.open(dataDir)
    await stopPostmaster(join(dataDir, 'postgres'))
    const back = embedded.ensure()
    await embedded.close()
    await back
    expect(isStopped(dataDir)).toBe(true)
  })

  test('is reached whatever the environment says of another server to PostgreSQL’s own clients', async () => {
    const other = { PGHOST: '192.0.2.1', PGPORT: '6543', PGUSER: 'nobody', PGDATABASE: 'none', PGPASSWORD: 'x' }
    const dataDir = await workshop.made()
    const started = workshop.start(dataDir, { ...other, PGSSLMODE: 'verify-full', PGOPTIONS: '-c none=1' })
    expect(await started.ready).toBe('ready with 0 accounts')
    expect(await started.close()).toBe(0)
  })

  test('what was written is there after a stop and a start', async () => {
    const dataDir = await workshop.made()
    const first = await workshop.open(dataDir)
    await ask(first, `create table kept as select 'text' as value`)
    await first.close()
    const second = await workshop.open(dataDir)
    expect(await ask(second, 'select value from kept')).toEqual([{ value: 'text' }])
  })

  test('four processes at once on an empty directory all come up, and nothing runs when they are gone', async () => {
    const dataDir = await workshop.directory()
    const processes = [1, 2, 3, 4].map(() => workshop.start(dataDir))
    const lines = await Promise.all(processes.map((started) => started.ready))
    expect(lines).toEqual(Array(4).fill('ready with 0 accounts'))
    const codes = await Promise.all(processes.map((started) => started.close()))
    expect(codes).toEqual([0, 0, 0, 0])
    await until(() => isStopped(dataDir))
  })

  test.runIf(onLinux)(
    'kill -9 of the process that started it: it stops, and comes back for the processes that still need it',
    async () => {
      const dataDir = await workshop.made()
      const starter = workshop.start(dataDir)
      await starter.ready
      const embedded = await workshop.open(dataDir)
      const before = await postmaster(dataDir)
      starter.child.kill('SIGKILL')
      await until(async () => ![before, undefined].includes(await postmaster(dataDir)))
      await embedded.ensure()
      expect(await ask(embedded, 'select count(*)::int as accounts from account')).toEqual([{ accounts: 0 }])
    },
  )

  test('that does not start again after it went away is back once what was in its way is gone', async () => {
    const dataDir = await workshop.made()
    const embedded = await workshop.open(dataDir)
    const configuration = join(dataDir, 'postgres', 'postgresql.conf')
    const text = await readFile(configuration, 'utf8')
    await writeFile(configuration, 'nonsense')
    await stopPostmaster(join(dataDir, 'postgres'))
    const log = join(dataDir, 'postgres.log')
    await until(async () => (await readFile(log, 'utf8')).includes('contains errors'))
    await writeFile(configuration, text)
    await until(() =>
      ask(embedded, 'select 1').then(
        () => true,
        () => false,
      ),
    )
  })

  test.runIf(onLinux)('kill -9 of the only process leaves nothing running', async () => {
    const dataDir = await workshop.made()
    const starter = workshop.start(dataDir)
    await starter.ready
    starter.child.kill('SIGKILL')
    await until(() => isStopped(dataDir))
  })

  test('kill -9 of PostgreSQL itself: ensure brings it back with its data, for all processes that ask at once', async () => {
    const dataDir = await workshop.made()
    const embedded = await workshop.open(dataDir)
    await ask(embedded, 'create table kept as select 1 as value')
    process.kill((await postmaster(dataDir))!, 'SIGKILL')
    await Promise.all([embedded.ensure(), embedded.ensure(), embedded.ensure()])
    expect(await ask(embedded, 'select value from kept')).toEqual([{ value: 1 }])
  })

  test('what a process that died left half made is cleared away', async () => {
    const dataDir = await workshop.directory()
    const left = join(dataDir, `postgres.init-${spawnSync('true').pid}-0a1b2c`)
    const busy = join(dataDir, `postgres.init-${process.pid}-0a1b2c`)
    await mkdir(join(left, 'base'), { recursive: true })
    await mkdir(busy)
    await workshop.open(dataDir)
    expect([existsSync(left), existsSync(busy)]).toEqual([false, true])
  })

  test('no other user reaches the socket or the files, and the log holds nothing of what was asked', async () => {
    const dataDir = await workshop.directory()
    const embedded = await workshop.open(dataDir)
    const modes = await Promise.all(['run', 'postgres', 'postgres.log'].map(async (name) => stat(join(dataDir, name))))
    expect(modes.map((found) => found.mode & 0o077)).toEqual([0, 0, 0])
    await expect(ask(embedded, `select 'sesame'::int`)).rejects.toThrow('sesame')
    await expect(ask(embedded, `do $$ begin raise warning 'sesame'; end $$; select sesame`)).rejects.toThrow()
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).toContain('ready to accept connections')
    expect(log).not.toContain('sesame')
  })

  test('the log of a server that has run for years is cut, its latest 16 MiB and more kept in a second file, and it goes on', async () => {
    const dataDir = await workshop.made()
    const [log, before] = [join(dataDir, 'postgres.log'), join(dataDir, 'postgres.log.1')]
    const years = `${'of years ago\n'.repeat(1_400_000)}of just now\n`
    await writeFile(log, years, { mode: 0o600 })
    const embedded = await workshop.open(dataDir)
    await expect.poll(async () => (await stat(log)).size).toBeLessThan(1_000_000)
    const kept = await stat(before)
    expect(kept.size).toBeGreaterThanOrEqual(years.length)
    expect(kept.mode & 0o077).toBe(0)
    await ask(embedded, `select pg_reload_conf()`)
    await expect.poll(() => readFile(log, 'utf8')).toContain('reloading configuration files')
    expect(await readFile(log, 'utf8')).not.toContain('\0')
  })
})
