import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'

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

  test('a migration that failed before is refused by name', async () => {
    const db = connect()
    await migrate(db, log)
    const { rows } = await db.pool.query('update _prisma_migrations set finished_at = null returning migration_name')
    await expect(migrate(db, log)).rejects.toThrow(`The migration ${rows[0].migration_name} failed half-way`)
  })

  test('a migration that fails leaves nothing of itself behind', async () => {
    const db = connect()
    // The name of the first migration's last table is taken: everything before it succeeds and must be undone.
    await db.pool.query('create sequence installation')
    await expect(migrate(db, log)).rejects.toThrow()
    const { rows } = await db.pool.query(`select to_regclass('account') as account, to_regclass('job') as job`)
    expect(rows).toEqual([{ account: null, job: null }])
    await expect(migrate(db, log)).rejects.toThrow('failed half-way')
  })

  test('migrations of a newer program are no obstacle', async () => {
    const db = connect()
    await migrate(db, log)
    await db.pool.query(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '29990101000000_later', now())`,
    )
    await expect(migrate(db, log)).resolves.toBeUndefined()
  })
})
