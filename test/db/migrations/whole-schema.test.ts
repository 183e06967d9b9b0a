import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { createLedger } from '../../../src/db/migrations/ledger.ts'
import { examineLedger, migrate } from '../../../src/db/migrations/migrate.ts'
import { planMigrations } from '../../../src/db/migrations/plan-migrations.ts'
import { openLog } from '../../../src/values/log.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { describeSchema, migrationWorkshop } from '../../setup/postgres/migrations.ts'
import { REPLACED, takeLedgerBack } from '../../setup/postgres/replaced-migrations.ts'
import { runHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir, run } from '../../setup/processes/process.ts'

const REFUSAL =
  'The database has some of the migrations that are one by now: start the version that knows 20261128210000_public_ids once, then this one.'
const log = openLog('silent')

let database: TestDatabase
let db: Database
beforeEach(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.url, log)
})
afterEach(async () => {
  await db.close()
  await database.drop()
  await cleanUp()
})

const ledger = async () => (await db.pool.query('select * from _prisma_migrations order by started_at')).rows
const wholeSchemaWith = async (later: Readonly<Record<string, string>>) => {
  const workshop = await migrationWorkshop()
  const folder = await workshop.write(later, 1)
  return { folder, close: () => workshop.close() }
}

describe('a database that has all migrations that are one by now', () => {
  test('goes on as it is: nothing is pending, no statement changes its schema, and its ledger stays', async () => {
    await takeLedgerBack(db)
    const seen = async () => [await describeSchema(db), await ledger()]
    const before = await seen()
    const warnings: unknown[] = []
    const listening = Object.assign(openLog('silent'), { warn: (...line: unknown[]) => warnings.push(line) })
    const { folder, close } = await wholeSchemaWith({})
    try {
      for (const apply of [true, false]) await migrate(db, listening, { apply, folder })
      expect(await planMigrations(db.pool, folder)).toEqual([])
      expect(await examineLedger(db.pool, folder)).toEqual({ pending: [], newer: [], failed: [] })
    } finally {
      await close()
    }
    expect([await seen(), warnings]).toEqual([before, []])
  })

  test('gets later migrations', async () => {
    await takeLedgerBack(db)
    const later = await wholeSchemaWith({ '29990101000000_later': 'create table later (n int)' })
    try {
      expect((await planMigrations(db.pool, later.folder)).map(({ name }) => name)).toEqual(['29990101000000_later'])
      await migrate(db, log, { folder: later.folder })
      expect((await ledger()).map((row) => row.migration_name)).toEqual([...REPLACED, '29990101000000_later'])
      expect(await planMigrations(db.pool, later.folder)).toEqual([])
    } finally {
      await later.close()
    }
  })
})

describe('a database that has some of them', () => {
  test('is refused by every role and command in one sentence, and stays as it is', async () => {
    await takeLedgerBack(db, 11)
    const before = await ledger()
    const env = { DATABASE_URL: database.url, DATA_DIR: await makeTempDir(), LOG_LEVEL: 'silent', PORT: '0' }
    for (const role of ['start', 'work']) {
      const { code, stdout, stderr } = await run([role], env)
      expect([role, code, stdout, stderr]).toEqual([role, 1, '', `Sonant cannot start: ${REFUSAL}\n`])
    }
    for (const args of [['migrate'], ['migrate', '--plan'], ['backup', join(env.DATA_DIR, 'backup')]]) {
      const { code, stdout, stderr } = await runHere(args, env)
      expect([args, code, stdout, stderr]).toEqual([args, 1, '', `${REFUSAL}\n`])
    }
    const { code, stdout } = await runHere(['doctor', '--json'], env)
    expect([code, JSON.parse(stdout).findings]).toEqual([
      1,
      [
        {
          check: 'database',
          severity: 'error',
          found: REFUSAL.slice(0, -1),
          remedy: 'until then nothing else can be checked',
        },
      ],
    ])
    expect(await ledger()).toEqual(before)
  }, 60_000)

  test.each([
    ['lacks the last one', `migration_name = '${REPLACED.at(-1)}'`],
    ['lacks another one', `migration_name = '${REPLACED.at(-2)}'`],
  ])('is refused if it %s', async (_what, condition) => {
    await takeLedgerBack(db)
    await db.pool.query(`delete from _prisma_migrations where ${condition}`)
    await expect(migrate(db, log)).rejects.toThrow(REFUSAL)
  })

  test('is refused if the last one failed', async () => {
    await takeLedgerBack(db)
    await db.pool.query(`update _prisma_migrations set finished_at = null where migration_name = '${REPLACED.at(-1)}'`)
    await expect(migrate(db, log)).rejects.toThrow(REFUSAL)
  })
})

test('an older program that fails on a newer database keeps this one from nothing', async () => {
  await db.pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, logs) values ('x', 'x', '${REPLACED[0]}', 'no')`,
  )
  await expect(migrate(db, log)).resolves.toBeUndefined()
  expect(await examineLedger(db.pool)).toEqual({ pending: [], newer: [], failed: [] })
})

test('a replaced migration that was rolled back is none', async () => {
  const workshop = await migrationWorkshop()
  try {
    await createLedger(workshop.db.pool)
    await workshop.db.pool.query(
      `insert into _prisma_migrations (id, checksum, migration_name, rolled_back_at) values ('x', 'x', '${REPLACED[0]}', now())`,
    )
    await migrate(workshop.db, log)
    expect((await planMigrations(workshop.db.pool)).length).toBe(0)
  } finally {
    await workshop.close()
  }
})
