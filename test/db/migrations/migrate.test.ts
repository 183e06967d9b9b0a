import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { planMigrations } from '../../../src/db/migrations/plan-migrations.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { deployWithPrisma } from '../../setup/postgres/schema-engine.ts'

const log = openLog('silent')
let admin: Client
let name: string
let open: Database[]

const connect = () => {
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  const db = openDatabase(url.href, log)
  open.push(db)
  return db
}

const ledger = async (db: Database) =>
  (await db.pool.query('select migration_name, finished_at is not null as finished from _prisma_migrations order by 1'))
    .rows

/** All that two runs have in common. */
const wholeLedger = async (db: Database) =>
  (
    await db.pool.query(`select migration_name, checksum, logs, applied_steps_count, rolled_back_at, length(id) as id,
      finished_at >= started_at as finished from _prisma_migrations order by started_at`)
  ).rows

const ledgerColumns = async (db: Database) =>
  (
    await db.pool.query(`select column_name, data_type, character_maximum_length, is_nullable, column_default
      from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`)
  ).rows

describe('migrate', () => {
  beforeEach(async () => {
    open = []
    name = `migrate_${process.pid}_${Date.now()}`
    admin = new Client({ connectionString: inject('databaseUrl') })
    await admin.connect()
    await admin.query(`create database ${name}`)
  })
  afterEach(async () => {
    await Promise.all(open.map((db) => db.close()))
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })

  test('an empty database gets every migration, and a second run changes nothing', async () => {
    const db = connect()
    await migrate(db, log)
    const once = await ledger(db)
    expect(once.length).toBeGreaterThan(0)
    expect(once.every((row) => row.finished)).toBe(true)
    await migrate(db, log)
    expect(await ledger(db)).toEqual(once)
  })

  test('of four at once on an empty database one migrates and all come up', async () => {
    const databases = [connect(), connect(), connect(), connect()]
    await Promise.all(databases.map((db) => migrate(db, log)))
    const names = (await ledger(databases[0]!)).map((row) => row.migration_name)
    expect(new Set(names).size).toBe(names.length)
    expect(await databases[3]!.prisma.account.count()).toBe(0)
  })

  test('a migration that failed before is refused by name, with MIGRATE=off as well, and by the plan', async () => {
    const db = connect()
    await migrate(db, log)
    const { rows } = await db.pool.query('update _prisma_migrations set finished_at = null returning migration_name')
    const message = `The migration ${rows[0].migration_name} failed half-way`
    for (const apply of [true, false]) await expect(migrate(db, log, { apply })).rejects.toThrow(message)
    await expect(planMigrations(db.pool)).rejects.toThrow(message)
  })

  test('a migration that fails leaves nothing of itself behind', async () => {
    const db = connect()
    // The name of the last table is taken: everything before it succeeds and must be undone.
    await db.pool.query('create sequence worker')
    await expect(migrate(db, log)).rejects.toThrow(
      'The migration 20261129000000_whole_schema failed: relation "worker" already exists.',
    )
    expect(await wholeLedger(db)).toMatchObject([{ logs: 'relation "worker" already exists' }])
    const { rows } = await db.pool.query(`select to_regclass('account') as account, to_regclass('job') as job`)
    expect(rows).toEqual([{ account: null, job: null }])
    await expect(migrate(db, log)).rejects.toThrow('failed half-way')
  })

  test('a migration whose connection ends half-way is applied by the next run', async () => {
    const db = connect()
    const other = await db.pool.connect()
    // The last table waits for this one, which is taken back.
    await other.query('begin; create sequence worker')
    const broken = expect(migrate(db, log)).rejects.toThrow()
    const end = `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
      where application_name = 'sonant migrate' and datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await db.pool.query(end)).rows[0].ended, { timeout: 60_000 }).toBe(1)
    await broken
    await other.query('rollback')
    other.release()
    await migrate(db, log)
    expect((await ledger(db)).every((row) => row.finished)).toBe(true)
  })

  test('a database that Prisma has begun gets the rest, and its ledger is as if Prisma had done all', async () => {
    const db = connect()
    await deployWithPrisma(db.url, 1)
    const columns = await ledgerColumns(db)
    const workshop = await migrationWorkshop()
    const folder = await workshop.write({ '29990101000000_later': 'create table later (n int)' }, 1)
    await migrate(db, log, { folder }).finally(() => workshop.close())
    const [prismas, ours] = [(await wholeLedger(db))[0], (await wholeLedger(db)).at(-1)]
    expect(Object.keys(prismas!)).toEqual(Object.keys(ours!))
    expect({ ...ours, migration_name: '', checksum: '' }).toEqual({ ...prismas, migration_name: '', checksum: '' })
    await db.pool.query('drop schema public cascade; create schema public')
    await migrate(db, log)
    expect(await ledgerColumns(db)).toEqual(columns)
    const all = await wholeLedger(db)
    expect(await deployWithPrisma(db.url)).toEqual([])
    expect(await wholeLedger(db)).toEqual(all)
    expect(all[0]).toEqual(prismas)
  })

  test('waits while Prisma itself migrates the database', async () => {
    const db = connect()
    const prisma = await db.pool.connect()
    await prisma.query('select pg_advisory_lock(72707369)')
    let finished = false
    const migrated = migrate(db, log).then(() => {
      finished = true
    })
    // It asks for Prisma's lock again and again, with its own in hand.
    const waiting = `select count(*)::int as waiting from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and a.application_name = 'sonant migrate' and a.datname = current_database()`
    await expect.poll(async () => (await db.pool.query(waiting)).rows[0].waiting, { timeout: 60_000 }).toBe(1)
    expect(finished).toBe(false)
    prisma.release(true)
    await migrated
    expect((await ledger(db)).length).toBeGreaterThan(0)
  })

  test("a schema with another program's tables is refused in one sentence, and stays as it is", async () => {
    const db = connect()
    await db.pool.query('create table theirs (a int)')
    await expect(migrate(db, log)).rejects.toThrow(
      'The schema public of the database is not empty and records no migrations: use a database of its own for this service.',
    )
    const { rows } = await db.pool.query(`select to_regclass('_prisma_migrations') as ledger`)
    expect(rows).toEqual([{ ledger: null }])
  })

  test('migrations of a newer program are no obstacle', async () => {
    const db = connect()
    await migrate(db, log)
    await db.pool.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '29990101000000_later', now())`,
    )
    await expect(migrate(db, log)).resolves.toBeUndefined()
  })

  test('a newer migration that failed half-way leaves this program to start, to apply its own and to plan them, with a warning', async () => {
    const db = connect()
    await migrate(db, log)
    await db.pool.query(
      `insert into _prisma_migrations (id, checksum, migration_name, logs) values ('x', 'x', '29990101000000_later', 'no')`,
    )
    const warnings: unknown[] = []
    const listening = Object.assign(openLog('silent'), { warn: (...line: unknown[]) => warnings.push(line) })
    for (const apply of [true, false]) await expect(migrate(db, listening, { apply })).resolves.toBeUndefined()
    expect(warnings).toContainEqual([
      { migrations: ['29990101000000_later'] },
      'migrations of a newer version failed half-way',
    ])
    expect(await planMigrations(db.pool)).toEqual([])
  })
})
