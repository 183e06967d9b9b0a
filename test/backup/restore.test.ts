import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Manifest } from '../../src/backup/manifest.ts'
import { restore } from '../../src/backup/restore.ts'
import { runBackup, runRestore } from '../../src/backup/run-backup.ts'
import { authenticate } from '../../src/callers/authenticate.ts'
import { readSettings } from '../../src/context/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { createLedger } from '../../src/db/migrations/ledger.ts'
import { keepPartitions } from '../../src/jobs/partitions/keep-partitions.ts'
import { readPartitions } from '../../src/jobs/partitions/partitions.ts'
import { openStore } from '../../src/runtime/foundation.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openLog } from '../../src/values/log.ts'
import { startWebhookWorker } from '../../src/webhooks/delivery/start-webhook-worker.ts'
import { tidyWebhooks } from '../../src/webhooks/delivery/tidy-webhooks.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { audit } from '../setup/audit/audit.ts'
import { migrationWorkshop } from '../setup/postgres/migrations.ts'
import { REPLACED, takeLedgerBack } from '../setup/postgres/replaced-migrations.ts'
import { startS3Server } from '../setup/servers/s3-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const WRITTEN_BY_RESTORE = new Set(['installation', 'feed_horizon'])
const TIMEOUT_MS = 60_000
const HOOK = 'https://receiver.example.com/hook'
/** The job that has not ended was released by a worker. */
const TRIED = `
  with tried as (
    update job set status = 'processing', attempt = 1, started_at = created_at, hand_backs = 1 where completed_at is null returning id
  )
  insert into job_attempt (job_id, attempt, started_at, ended_at, ending, worker, cause)
  select id, 1, now(), now(), 'stopped', 'wrk_gone', 'the worker is stopping' from tried`
const log = openLog('silent')
let service: TestRuntime
let dir: string
let manifest: Manifest
let caller: { account: string; key: string }
const clean: (() => Promise<unknown>)[] = []

const tempDir = async () => {
  const made = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
  clean.push(() => rm(made, { recursive: true, force: true }))
  return made
}
const submit = async (text: string, webhook_url?: string): Promise<string> => {
  const answer = await fetch(`${service.url}/api/v1/voice/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { text, voice: 'aria' }, ...(webhook_url && { webhook_url }) }),
  })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { job_id: string }).job_id
}
const unfinished = async (runtime: Runtime) =>
  (await runtime.db.pool.query(`select count(*)::int as jobs from job where completed_at is null`)).rows[0].jobs
/** Everything that a backup holds, as text. */
const contentOf = async ({ db }: Runtime): Promise<Record<string, string>> => {
  const content: Record<string, string> = {}
  for (const { name, columns } of manifest.tables) {
    const list = columns.map((column) => `"${column}"`).join(', ')
    const { rows } = await db.pool.query<{ rows: string }>(
      `select coalesce(json_agg(t order by t::text), '[]')::text as rows from (select ${list} from "${name}") t`,
    )
    content[name] = rows[0]!.rows
  }
  return content
}
const emptyPlace = async (env: Record<string, string> = {}) => {
  const workshop = await migrationWorkshop()
  clean.push(() => workshop.close())
  return readSettings({ DATABASE_URL: workshop.url, DATA_DIR: await tempDir(), LOG_LEVEL: 'silent', ...env })
}

beforeAll(async () => {
  service = await startTestRuntime({ env: { EGRESS_ALLOW: '127.0.0.0/8' } })
  clean.push(() => service.close())
  caller = await service.createCaller()
  const worker = await startWorker(service.runtime)
  await submit('Kept for good.')
  await submit('Kept as well.', HOOK)
  await until(async () => (await unfinished(service.runtime)) === 0, TIMEOUT_MS, 'two jobs')
  await worker.stop()
  await submit('Not rendered yet.', HOOK)
  // That its key was used is written after the answer.
  const used = 'select count(last_used_at)::int as keys from api_key'
  await until(
    async () => (await service.runtime.db.pool.query(used)).rows[0].keys === 1,
    TIMEOUT_MS,
    'the use of the key',
  )
  await service.runtime.db.pool.query(TRIED)
  await service.runtime.db.pool.query('vacuum analyze job')
  await keepPartitions(service.runtime, { jobs: 1, days: 1, fewest: 1 })
  dir = join(await tempDir(), 'backup')
  manifest = await runBackup(service.runtime.settings, log, dir)
})
afterAll(async () => {
  for (const end of clean.reverse()) await end()
})

describe('a restored backup', () => {
  test('holds every row and every byte, its keys and secrets work, and every job ends', async () => {
    // From the database of DATABASE_URL to an embedded one.
    const settings = readSettings({ DATA_DIR: await tempDir(), LOG_LEVEL: 'silent' })
    await runRestore(settings, log, dir)
    const runtime = await openRuntime(settings, log, { supervise: true })
    clean.push(() => runtime.close())
    const [before, after] = [await contentOf(service.runtime), await contentOf(runtime)]
    for (const { name } of manifest.tables.filter(({ name }) => !WRITTEN_BY_RESTORE.has(name)))
      expect([name, after[name]]).toEqual([name, before[name]])
    expect(after.job_attempt).toContain('wrk_gone')
    expect(await readPartitions(service.runtime.db.pool)).toHaveLength(6)
    expect(await readPartitions(runtime.db.pool)).toHaveLength(3)
    expect(await readFile(join(settings.dataDir, 'secret.key'))).toEqual(
      await readFile(join(service.dataDir, 'secret.key')),
    )
    const { rows } = await runtime.db.pool.query<{ key: string }>('select storage_key as key from artifact')
    expect(rows.length).toBe(2)
    for (const { key } of rows) {
      const [was, is] = [service.dataDir, settings.dataDir].map((one) => readFile(join(one, 'artifacts', key)))
      expect(await is).toEqual(await was)
    }
    expect(await authenticate(runtime, caller.key)).toMatchObject({ accountId: caller.account })
    await runtime.db.pool.query(
      `update job set created_at = created_at - interval '1 minute' where completed_at is null`,
    )
    const worker = await startWorker(runtime)
    await until(async () => (await unfinished(runtime)) === 0, TIMEOUT_MS, 'the job that had waited')
    await worker.stop()
    const jobs = (await runtime.db.pool.query<{ id: string }>('select id from job')).rows.map(({ id }) => id)
    expect((await audit(runtime, jobs, { restMs: 0 })).filter((line) => !/waits in no queue/.test(line))).toEqual([])
  })

  test('moves from an embedded database and a directory to another database and a bucket, and its webhooks go on', async () => {
    const s3 = await startS3Server()
    clean.push(() => s3.close())
    const embedded = readSettings({ DATA_DIR: await tempDir(), LOG_LEVEL: 'silent' })
    await runRestore(embedded, log, dir)
    const [second, third] = [join(await tempDir(), 'second'), join(await tempDir(), 'third')]
    await runBackup(embedded, log, second)
    const settings = await emptyPlace(s3.env)
    await runRestore(settings, log, second)
    const runtime = await openRuntime(settings, log, { supervise: true })
    const { rows } = await runtime.db.pool.query<{ key: string }>('select storage_key as key from artifact')
    expect(rows.length).toBe(2)
    for (const { key } of rows) {
      const there = await buffer(await runtime.storage.read(key))
      expect(there).toEqual(await readFile(join(service.dataDir, 'artifacts', key)))
    }
    const pending = `select (select count(*)::int from webhook_attempt a where a.delivery_id = d.id) as attempts from webhook_delivery d`
    expect((await runtime.db.pool.query(pending)).rows).toEqual([{ attempts: 0 }])
    // A minute later, as the next duty of a worker finds it.
    await runtime.db.pool.query(`update webhook_delivery set next_attempt_at = now() - interval '2 minutes'`)
    const nowhere = { resolve: () => Promise.reject(new Error('no such name')) }
    const webhooks = await startWebhookWorker(runtime, nowhere)
    await tidyWebhooks(runtime)
    await until(async () => (await runtime.db.pool.query(pending)).rows[0].attempts > 0, TIMEOUT_MS, 'an attempt')
    await webhooks.stop()
    await runtime.close()
    // Out of the bucket again.
    expect((await runBackup(settings, log, third)).artifacts).toMatchObject({ files: 2, gone: [] })
  })

  test('goes into a database that is empty, and into no other', async () => {
    const { settings } = service.runtime
    const before = await contentOf(service.runtime)
    expect(before.job).toContain('Not rendered yet.')
    await expect(runRestore(settings, log, dir)).rejects.toThrow('The database is in use: restore into an empty one')
    expect(await contentOf(service.runtime)).toEqual(before)
  })

  test.each([
    ['the same key', true, /^The database is in use: restore into an empty one/],
    ['a key of its own', false, /secret\.key is another key than the one/],
  ])('takes nothing from a service with %s that was started while audio was restored', async (_which, isSame, why) => {
    const settings = await emptyPlace()
    const key = join(settings.dataDir, 'secret.key')
    if (isSame) await cp(join(dir, 'secret.key'), key)
    const db = openDatabase(settings.databaseUrl as string, log)
    const store = openStore(settings)
    const start = async () => {
      const runtime = await openRuntime(settings, log, { supervise: false })
      clean.push(() => runtime.close())
      return runtime.as({ kind: 'system' })
    }
    let starting: ReturnType<typeof start> | undefined
    const put: Storage['put'] = async (...file) => {
      starting ??= start()
      await starting
      return store.put(...file)
    }
    await expect(
      restore({ settings, log, open: async () => ({ db, storage: { ...store, put } }) }, dir),
    ).rejects.toThrow(why)
    const { rows } = await db.pool.query(
      'select (select count(*)::int from installation) as installed, (select count(*)::int from job) as jobs',
    )
    expect(rows).toEqual([{ installed: 1, jobs: 0 }])
    expect((await readFile(key)).equals(await readFile(join(dir, 'secret.key')))).toBe(isSame)
    await db.close()
  })

  test('that was broken off is begun again, before and after its key was there', async () => {
    const settings = await emptyPlace()
    const db = openDatabase(settings.databaseUrl as string, log)
    const store = openStore(settings)
    const put = () => Promise.reject(new Error('no room'))
    const storage = { ...store, put }
    await expect(restore({ settings, log, open: async () => ({ db, storage }) }, dir)).rejects.toThrow('no room')
    await db.close()
    const broken = openDatabase(settings.databaseUrl as string, log)
    // Its last connection leads nowhere.
    const open = async () => ({ db: { ...broken, url: 'postgresql://nobody@127.0.0.1:1/nothing' }, storage: store })
    await expect(restore({ settings, log, open }, dir)).rejects.toThrow('ECONNREFUSED')
    await broken.close()
    expect(await readFile(join(settings.dataDir, 'secret.key'))).toEqual(await readFile(join(dir, 'secret.key')))
    expect(await runRestore(settings, log, dir)).toMatchObject({ artifacts: { files: 2 } })
  })

  test('that was broken off before its first migration is begun again', async () => {
    const settings = await emptyPlace()
    const db = openDatabase(settings.databaseUrl as string, log)
    await createLedger(db.pool)
    await db.close()
    expect(await runRestore(settings, log, dir)).toMatchObject({ artifacts: { files: 2 } })
  })

  test('goes nowhere where another key is', async () => {
    const settings = await emptyPlace({ SECRET_KEY: 'another key, of thirty-two letters' })
    await expect(runRestore(settings, log, dir)).rejects.toThrow(/^SECRET_KEY is another key than the one/)
  })
})

describe('a backup', () => {
  test('names its key, its tables and their checksums, and stamps the installation', async () => {
    expect(manifest.secretKey.file?.path).toBe('secret.key')
    expect((await stat(join(dir, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect(manifest.tables.find(({ name }) => name === 'job')).toMatchObject({ rows: 3 })
    expect(manifest.artifacts).toMatchObject({ files: 2, gone: [] })
    const { rows } = await service.runtime.db.pool.query('select backed_up_at as at from installation')
    expect(new Date(rows[0].at).toISOString()).toBe(manifest.madeAt)
  })

  test('goes into no directory that holds anything', async () => {
    await expect(runBackup(service.runtime.settings, log, dir)).rejects.toThrow('is not empty')
    expect((await readdir(dir)).sort()).toEqual([
      'artifacts',
      'artifacts.ndjson.gz',
      'backup.json',
      'secret.key',
      'tables',
    ])
  })

  test('breaks off where audio is not what was stored, and is then none', async () => {
    const [row] = (await service.runtime.db.pool.query('select storage_key as key from artifact limit 1')).rows
    const path = join(service.dataDir, 'artifacts', row.key)
    const whole = await readFile(path)
    await writeFile(path, whole.subarray(1))
    const other = join(await tempDir(), 'other')
    await expect(runBackup(service.runtime.settings, log, other)).rejects.toThrow(
      'is not what was stored: its checksum differs.',
    )
    await writeFile(path, whole)
    await expect(runRestore(await emptyPlace(), log, other)).rejects.toThrow('is not a complete backup: backup.json')
  })

  test.each([
    ['a table', 'tables/job.copy.gz'],
    ['the key', 'secret.key'],
    ['the list of audio', 'artifacts.ndjson.gz'],
    ['audio', 'artifacts/*'],
  ])('of which %s was changed is refused by its name before anything is touched', async (_what, file) => {
    const copy = join(await tempDir(), 'copy')
    await cp(dir, copy, { recursive: true })
    const [key] = (await service.runtime.db.pool.query('select storage_key as key from artifact limit 1')).rows
    const path = file.replace('*', key.key)
    await appendFile(join(copy, path), 'x')
    const settings = await emptyPlace()
    await expect(runRestore(settings, log, copy)).rejects.toThrow(`is damaged: ${path} is not as it was written`)
    expect(await readdir(settings.dataDir)).toEqual([])
  })

  test('of a database with all migrations that are one by now names that one, and is restored under their names as well', async () => {
    const { db, settings } = service.runtime
    await db.pool.query('create table kept as select * from _prisma_migrations')
    await takeLedgerBack(db)
    const [made, old] = [join(await tempDir(), 'made'), join(await tempDir(), 'old')]
    try {
      expect((await runBackup(settings, log, made)).migrations).toEqual(manifest.migrations.slice(0, 1))
    } finally {
      await db.pool.query(
        'truncate _prisma_migrations; insert into _prisma_migrations select * from kept; drop table kept',
      )
    }
    await cp(dir, old, { recursive: true })
    await writeFile(join(old, 'backup.json'), JSON.stringify({ ...manifest, migrations: REPLACED }))
    for (const backup of [made, old]) {
      const place = await emptyPlace()
      expect(await runRestore(place, log, backup)).toMatchObject({ artifacts: { files: 2 } })
      const restored = openDatabase(place.databaseUrl as string, log)
      const { rows } = await restored.pool.query('select migration_name as name from _prisma_migrations order by name')
      await restored.close()
      expect(rows.map(({ name }) => name)).toEqual(manifest.migrations)
    }
  })

  test('with some of those migrations is refused in one sentence', async () => {
    const copy = join(await tempDir(), 'copy')
    await cp(dir, copy, { recursive: true })
    await writeFile(join(copy, 'backup.json'), JSON.stringify({ ...manifest, migrations: REPLACED.slice(0, 11) }))
    await expect(runRestore(await emptyPlace(), log, copy)).rejects.toThrow(
      'The backup was made by Sonant 0.1.0, before the migration 20261128210000_public_ids: restore it with the version that knows that one, and back it up again.',
    )
  })

  test('of a newer program is refused by the versions', async () => {
    const copy = join(await tempDir(), 'copy')
    await cp(dir, copy, { recursive: true })
    const newer = { ...manifest, version: '9.0.0', migrations: [...manifest.migrations, '29990101000000_later'] }
    await writeFile(join(copy, 'backup.json'), JSON.stringify(newer))
    await expect(runRestore(await emptyPlace(), log, copy)).rejects.toThrow(
      'The backup was made by Sonant 9.0.0, whose migration 29990101000000_later this one (0.1.0) does not know',
    )
  })
})
