import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { MIGRATIONS, migrationNames, namesMadeBy } from '../../../src/db/migrations/migration-files.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'

const MADE = `
  select relname as name from pg_class c where relnamespace = current_schema()::regnamespace and relname <> '_prisma_migrations'
    and (relkind in ('r', 'p') and not relispartition or relkind = 'S' and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')))`

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url, openLog('silent'))
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('the files of the migrations name every table that they make, and every sequence that is of no column', async () => {
  const { rows } = await db.pool.query<{ name: string }>(MADE)
  const names = await namesMadeBy(await migrationNames(MIGRATIONS))
  expect([...(names ?? [])].sort()).toEqual(rows.map(({ name }) => name).sort())
})

test('what a newer program has made is not known', async () => {
  expect(await namesMadeBy(['29990101000000_later'])).toBeNull()
})
