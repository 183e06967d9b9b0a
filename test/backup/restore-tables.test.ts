import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Manifest } from '../../src/backup/manifest.ts'
import { restoreTables } from '../../src/backup/restore.ts'
import { runBackup, runRestore } from '../../src/backup/run-backup.ts'
import { readSettings } from '../../src/context/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { type Log, openLog } from '../../src/values/log.ts'
import { createTestDatabase } from '../setup/postgres/database.ts'
import { migrationWorkshop } from '../setup/postgres/migrations.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const SILENT = openLog('silent')
/** A statement of the restore that has waited for a lock for longer than the role's limits of time. */
const OVERDUE = `select from pg_stat_activity where datname = current_database() and application_name = 'sonant restore'
  and wait_event_type = 'Lock' and query ilike $1 and now() - query_start > '0.5 s'`
/** Tables that an operator made next to the service's own. */
const OTHERS = `
  create table job_fix as select id from job;
  create table "JobFix" (id serial, note text);
  create table part_log (n int) partition by range (n);
  create table part_log_1 partition of part_log for values from (1) to (2);
  create sequence "Counter"`
let service: TestRuntime
let dir: string
let manifest: Manifest
const warnings: object[] = []
const clean: (() => Promise<unknown>)[] = []

const log: Log = Object.assign(Object.create(SILENT), { warn: (fields: object) => warnings.push(fields) })
const query = (text: string) => service.runtime.db.pool.query(text)
/** Into an empty database: how many accounts, and which columns of `account` it has then. */
async function restored(from: string) {
  const workshop = await migrationWorkshop()
  clean.push(() => workshop.close())
  const dataDir = await mkdtemp(join(dir, 'data-'))
  warnings.length = 0
  await runRestore(readSettings({ DATABASE_URL: workshop.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }), log, from)
  const { rows } = await workshop.db.pool.query('select to_jsonb(a) as account from account a')
  return rows.map(({ account }) => account)
}

beforeAll(async () => {
  service = await startTestRuntime()
  dir = await mkdtemp(join(tmpdir(), 'sonant-backup-'))
  await service.createAccount(77n)
  await query(OTHERS)
  await query('alter table account add column "Note" text')
  await query(`update account set "Note" = E'an operator''s\\t\\\\'`)
  manifest = await runBackup(service.runtime.settings, log, join(dir, 'backup'))
})
afterAll(async () => {
  await service.close()
  for (const end of clean.reverse()) await end()
  await rm(dir, { recursive: true })
})

test('a backup leaves out what the migrations did not make, says so, and can be restored', async () => {
  expect(warnings).toEqual([{ tables: ['JobFix', 'job_fix', 'part_log'] }])
  expect(manifest.tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['account', 'job', 'lexicon']))
  expect(manifest.tables.filter(({ name }) => /fix|part/i.test(name))).toEqual([])
  expect(manifest.partitions).toEqual([])
  expect(manifest.sequences.map(({ name }) => name)).toContain('webhook_secret_id_seq')
  expect(manifest.sequences.filter(({ name }) => /fix|counter/i.test(name))).toEqual([])
  const accounts = await restored(join(dir, 'backup'))
  expect(accounts).toEqual([expect.objectContaining({ credits: 77 })])
  expect(accounts[0]).not.toHaveProperty('Note')
  expect(warnings).toEqual([{ others: ['account.Note'] }])
})

test("a backup of an earlier version, with an operator's tables in it, is restored without them", async () => {
  const older = join(dir, 'older')
  await cp(join(dir, 'backup'), older, { recursive: true })
  const [job] = manifest.tables.filter(({ name }) => name === 'job')
  const names = ['JobFix', 'job_fix']
  const tables = names.map((name) => ({
    ...job!,
    name,
    columns: ['id'],
    file: { ...job!.file, path: `tables/${name}.copy.gz` },
  }))
  for (const { file } of tables) await cp(join(older, job!.file.path), join(older, file.path))
  await writeFile(
    join(older, 'backup.json'),
    JSON.stringify({
      ...manifest,
      tables: [...tables, ...manifest.tables],
      partitions: [
        { name: 'part_log_1', parent: 'part_log', bound: 'FOR VALUES FROM (1) TO (2)' },
        { name: 'job_first', parent: 'job', bound: `FOR VALUES FROM (MINVALUE) TO ('job_01')` },
        { name: 'job_20261204', parent: 'job', bound: `FOR VALUES FROM ('job_01') TO (MAXVALUE)` },
      ],
      sequences: [{ name: 'Counter', value: '1', isCalled: false }, ...manifest.sequences],
    }),
  )
  expect(await restored(older)).toEqual([expect.objectContaining({ credits: 77 })])
  expect(warnings).toEqual([{ others: [...names, 'account.Note'] }])
})

test('a backup of a schema that a newer program has migrated holds all that may be of that one', async () => {
  const database = await createTestDatabase('opened')
  clean.push(() => database.drop())
  const db = openDatabase(database.url, SILENT)
  await db.pool.query(`create table later (n int); create table "Odd" (n int);
    insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('later', '', '29990101000000_later', now())`)
  await db.close()
  warnings.length = 0
  const settings = { ...service.runtime.settings, databaseUrl: database.url }
  const made = await runBackup(settings, log, join(dir, 'newer'))
  expect(made.tables.map(({ name }) => name)).toContain('later')
  expect(warnings).toEqual([{ tables: ['Odd'] }])
  expect(JSON.parse(await readFile(join(dir, 'newer', 'backup.json'), 'utf8')).migrations).toContain(
    '29990101000000_later',
  )
})

test('a restore takes as long as it takes, its last statements included, whatever limits of time the role has', async () => {
  const workshop = await migrationWorkshop()
  clean.push(() => workshop.close())
  await migrate(workshop.db, SILENT)
  const url = new URL(workshop.url)
  url.searchParams.set('options', '-c statement_timeout=300 -c transaction_timeout=300 -c lock_timeout=300')
  const [first, second] = [new Client(workshop.url), new Client(workshop.url)]
  clean.push(() => Promise.all([first.end(), second.end()]))
  await Promise.all([first.connect(), second.connect()])
  const isOverdue = async (statement: string) => (await workshop.db.pool.query(OVERDUE, [statement])).rowCount === 1

  await first.query('begin; lock table account in access share mode')
  const restoring = restoreTables({ db: { url: url.href }, log: SILENT }, join(dir, 'backup'), manifest, async () => {})
  const heldUp = async (statement: string) =>
    Promise.race([restoring, until(() => isOverdue(statement), TIMEOUT_MS, `${statement} to wait`)])
  await heldUp('lock table%')
  // It has its turn as soon as the rows are committed.
  const locking = second.query('begin; lock table account in share update exclusive mode')
  await first.query('rollback')
  await heldUp('analyze%')
  await locking
  await second.query('rollback')
  await restoring
  expect((await workshop.db.pool.query('select credits::int from account')).rows).toEqual([{ credits: 77 }])
})

test('a restore ends the cursors of the feed of changes, which may have shown more than the backup holds', async () => {
  const workshop = await migrationWorkshop()
  clean.push(() => workshop.close())
  const settings = { DATABASE_URL: workshop.url, DATA_DIR: await mkdtemp(join(dir, 'data-')), LOG_LEVEL: 'silent' }
  await runRestore(readSettings(settings), log, join(dir, 'backup'))
  const { rows } = await workshop.db.pool.query('select kept_from > $1 as later from feed_horizon', [manifest.madeAt])
  expect(rows).toEqual([{ later: true }])
})
