import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { keepWriting, migrationWorkshop } from '../../setup/postgres/migrations.ts'

const log = openLog('silent')
const THINGS = 'create table thing (id int primary key, n int not null default 0)'
const INDEX = '-- concurrently\ncreate index concurrently thing_n on thing (n);\n'
const PAGES = `-- in pages
with page as (select id from thing where id > coalesce($1::int, 0) order by id limit 100),
  done as (update thing set n = n + 1 where id in (select id from page))
select max(id)::text as cursor, count(*) as rows from page`

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows
const ledger = () =>
  ask(`select migration_name as name, finished_at is not null as finished, logs, applied_steps_count as steps
    from _prisma_migrations order by started_at`)
const run = async (folder: string) => migrate(workshop.db, log, { folder })
const valid = async () =>
  (await ask(`select indisvalid as valid from pg_index where indexrelid = to_regclass('thing_n')`))[0]?.valid

/** Ends the migration's connection as soon as its statement waits for another's lock. */
async function cutOff(waiting: RegExp): Promise<void> {
  const look = `select pid, query from pg_stat_activity where application_name = 'sonant migrate' and wait_event_type = 'Lock' and datname = current_database()`
  await expect
    .poll(async () => (await ask(look)).some(({ query }) => waiting.test(query)), { timeout: 60_000 })
    .toBe(true)
  await ask(`select pg_terminate_backend(pid) from (${look}) w`)
}

describe('a migration of several steps', () => {
  test('runs what is marked outside of a transaction, and ends in the ledger as any other', async () => {
    const folder = await workshop.write({
      '1_things': THINGS,
      '2_index': `${INDEX}-- in one transaction\nalter table thing add m int;`,
    })
    await run(folder)
    expect(await valid()).toBe(true)
    expect(await ledger()).toEqual([
      { name: '1_things', finished: true, logs: null, steps: 1 },
      { name: '2_index', finished: true, logs: null, steps: 1 },
    ])
  })

  test('builds an index again that was left invalid by a build broken off', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_index': `alter table thing add m int;\n${INDEX}` })
    const other = await workshop.db.pool.connect()
    await run(await workshop.write({ '1_things': THINGS }))
    // A build waits for every transaction that could still read what it cannot see.
    await other.query('begin isolation level repeatable read; select 1')
    const broken = expect(run(folder)).rejects.toThrow()
    await cutOff(/create index/)
    await broken
    await other.query('rollback')
    other.release()
    expect(await valid()).toBe(false)
    expect((await ledger())[1]).toEqual({ name: '2_index', finished: false, logs: 'under way: step 2 of 2', steps: 1 })
    await run(folder)
    expect(await valid()).toBe(true)
    expect((await ledger()).map(({ finished }) => finished)).toEqual([true, true])
  })

  test('whose connection breaks at its first write to the ledger after the start is gone on with', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_index': INDEX })
    await run(await workshop.write({ '1_things': THINGS }))
    await ask(`create function cut() returns trigger language plpgsql as
        'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';
      create trigger cut before update on _prisma_migrations for each row execute function cut()`)
    await expect(run(folder)).rejects.toThrow()
    expect((await ledger())[1]).toEqual({ name: '2_index', finished: false, logs: 'under way: step 1 of 1', steps: 0 })
    await ask('drop trigger cut on _prisma_migrations')
    await run(folder)
    expect((await ledger()).map(({ finished }) => finished)).toEqual([true, true])
  })

  test('goes on behind the last page of rows, so that each is changed once', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_fill': PAGES })
    await run(await workshop.write({ '1_things': THINGS }))
    await ask('insert into thing select generate_series(1, 450)')
    const other = await workshop.db.pool.connect()
    await other.query('begin; select 1 from thing where id = 250 for update')
    const broken = expect(run(folder)).rejects.toThrow()
    await cutOff(/page/)
    await broken
    await other.query('rollback')
    other.release()
    expect((await ledger())[1]!.logs).toBe('under way: step 1 of 1, 200 rows, after "200"')
    await run(folder)
    expect(await ask('select n, count(*)::int as things from thing group by 1')).toEqual([{ n: 1, things: 450 }])
  })

  test('lets writes through while a long transaction keeps it from its lock', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_more': 'alter table thing add m int' })
    await run(await workshop.write({ '1_things': THINGS }))
    const reader = await workshop.db.pool.connect()
    await reader.query('begin; select count(*) from thing')
    const writing = keepWriting(workshop.db, (n) => `insert into thing values (${n + 1})`)
    const migrated = run(folder)
    const seen = async (condition: string) =>
      (await ask(`select from pg_stat_activity where datname = current_database() and ${condition}`)).length
    await expect.poll(() => seen(`wait_event_type = 'Lock' and query like 'alter%'`)).toBe(1)
    await expect.poll(() => seen(`query = 'rollback' and application_name = 'sonant migrate'`)).toBe(1)
    await reader.query('rollback')
    reader.release()
    await migrated
    expect((await writing.stop()).longest).toBeLessThan(15_000)
    expect((await ledger()).map(({ finished }) => finished)).toEqual([true, true])
  })

  test('takes as long as its steps do, whatever limits of time the role has', async () => {
    const folder = await workshop.write({ '1_slow': `${THINGS}; select pg_sleep(0.6)` })
    const limited = new URL(workshop.url)
    const limits = ['statement_timeout', 'transaction_timeout', 'idle_session_timeout'].map((name) => `-c ${name}=300`)
    limited.searchParams.set('options', limits.join(' '))
    const db = openDatabase(limited.href, log)
    await migrate(db, log, { folder }).finally(() => db.close())
    expect((await ledger()).map(({ finished }) => finished)).toEqual([true])
  })

  test('that failed goes on with the failed step once an operator has mended it', async () => {
    const folder = await workshop.write({
      '1_things': THINGS,
      '2_unique': `alter table thing add m int;\n-- concurrently\ncreate unique index concurrently thing_n on thing (n);`,
    })
    await run(await workshop.write({ '1_things': THINGS }))
    await ask('insert into thing select generate_series(1, 2)')
    await expect(run(folder)).rejects.toThrow('The migration 2_unique failed: could not create unique index "thing_n".')
    await expect(run(folder)).rejects.toThrow('failed half-way')
    await ask('update thing set n = id; update _prisma_migrations set rolled_back_at = now() where finished_at is null')
    await run(folder)
    expect(await valid()).toBe(true)
  })

  test('of two processes one builds, and the other one does not keep it from that', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_index': INDEX })
    await Promise.all([
      run(folder),
      migrate(workshop.open(), log, { folder }),
      migrate(workshop.open(), log, { folder }),
    ])
    expect((await ledger()).length).toBe(2)
  })
})

describe('a start', () => {
  test('with MIGRATE off is refused in one sentence while migrations are pending, and changes nothing', async () => {
    const folder = await workshop.write({ '1_things': THINGS, '2_index': INDEX })
    await run(await workshop.write({ '1_things': THINGS }))
    await expect(migrate(workshop.db, log, { folder, apply: false })).rejects.toThrow(
      'Migrations are pending (2_index), and MIGRATE is off: run "npx sonant migrate", and look before with "npx sonant migrate --plan".',
    )
    expect(await valid()).toBeUndefined()
    await run(folder)
    await expect(migrate(workshop.db, log, { folder, apply: false })).resolves.toBeUndefined()
  })

  test.each(['0.1.1', '99', '1.0.0'])('on a schema that needs %s is refused by that version', async (needed) => {
    await ask('create table installation (minimum_version text)')
    await ask(`insert into installation values ('${needed}')`)
    await expect(run(await workshop.write({}))).rejects.toThrow(
      `The database was migrated for Sonant ${needed} or newer, and this is 0.1.0: start that version, or restore a backup from before its migration.`,
    )
  })
})
