import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { openLog } from '../../../src/values/log.ts'
import { migrationWorkshop } from '../../setup/postgres/migrations.ts'

const THINGS = `create table thing (id text primary key, n int not null) partition by range (id);
create table thing_a partition of thing for values from (minvalue) to ('b');
create table thing_b partition of thing for values from ('b') to (maxvalue);
insert into thing select chr(97 + i % 4) || i, i from generate_series(1, 100) i;`
const INDEX =
  '-- concurrently\ncreate unique index concurrently "thing_n_idx" on "thing" ("n" desc, "id") where n > 3;\n'

let workshop: Awaited<ReturnType<typeof migrationWorkshop>>
beforeEach(async () => {
  workshop = await migrationWorkshop()
})
afterEach(() => workshop.close())

const ask = async (sql: string) => (await workshop.db.pool.query(sql)).rows
const run = async (files: Readonly<Record<string, string>>) =>
  migrate(workshop.db, openLog('silent'), { folder: await workshop.write(files) })
const indexes = () =>
  ask(`select indexrelid::regclass::text as name, indisvalid as valid, indisunique as "isUnique",
      (select inhparent::regclass::text from pg_inherits where inhrelid = indexrelid) as of
    from pg_index where indexrelid::regclass::text like '%_n_idx' order by 1`)
const BUILT = [
  { name: 'thing_a_n_idx', valid: true, isUnique: true, of: 'thing_n_idx' },
  { name: 'thing_b_n_idx', valid: true, isUnique: true, of: 'thing_n_idx' },
  { name: 'thing_n_idx', valid: true, isUnique: true, of: null },
]

describe('an index of a partitioned table that is built beside its writes', () => {
  test('is built for each partition, and for those to come', async () => {
    await run({ '1_things': THINGS, '2_index': INDEX })
    expect(await indexes()).toEqual(BUILT)
    expect((await ask(`select pg_get_indexdef('thing_b_n_idx'::regclass) as text`))[0].text).toMatch(
      /^CREATE UNIQUE INDEX thing_b_n_idx ON public\.thing_b USING btree \(n DESC, id\) WHERE \(n > 3\)$/,
    )
    await ask(`alter table thing detach partition thing_b`)
    await ask(`create table thing_c partition of thing for values from ('c') to (maxvalue)`)
    expect((await ask(`select count(*)::int as of from pg_index where indrelid = 'thing_c'::regclass`))[0].of).toBe(2)
  })

  test('goes on where it was broken off: with an index that is not valid, with those of some partitions, before they were one', async () => {
    await run({ '1_things': THINGS })
    await ask('create unique index thing_a_n_idx on thing_a (n desc, id) where n > 3')
    await ask('create unique index thing_b_n_idx on thing_b (n desc, id) where n > 3')
    await ask(`update pg_index set indisvalid = false where indexrelid = 'thing_a_n_idx'::regclass`)
    await ask('create unique index thing_n_idx on only thing (n desc, id) where n > 3')
    await run({ '1_things': THINGS, '2_index': INDEX })
    expect(await indexes()).toEqual(BUILT)
  })

  test('has a name of its own in each partition, however long it is', async () => {
    const long = 'n'.repeat(56)
    const index = (name: string, on: string) => `-- concurrently\ncreate index concurrently ${name} on thing (${on});\n`
    await run({ '1_things': THINGS, '2_index': index(`${long}_a`, 'n'), '3_index': index(`${long}_b`, 'id, n') })
    const names = await ask(
      `select indexrelid::regclass::text as name from pg_index where indexrelid::regclass::text like '%nnn%' and indisvalid`,
    )
    expect(new Set(names.map(({ name }) => name)).size).toBe(6)
  })

  test.each([
    'create index concurrently public.thing_n on thing (n)',
    'create index concurrently thing_n on only thing (n)',
    'create index concurrently thing_n on public.thing (n)',
    'create index concurrently on thing (n)',
  ])('is refused where its name or table is no plain one: %s', async (sql) => {
    await expect(run({ '1_things': THINGS, '2_index': `-- concurrently\n${sql};\n` })).rejects.toThrow(
      /^(Name an index|The migration .* failed: Name an index|Not to be run)/,
    )
    expect(await indexes()).toEqual([])
  })

  test('fails where what it is about is not there', async () => {
    const lost = '-- concurrently\ncreate index concurrently thing_n_idx on thing (lost(n));\n'
    const text = `create function lost(int) returns int immutable language plpgsql as 'begin perform 1 from nowhere; return 1; end';`
    await expect(run({ '1_things': THINGS, '2_lost': text, '3_index': lost })).rejects.toThrow(
      /"nowhere" does not exist/,
    )
  })

  test('waits in short turns for a transaction that writes, and is built once that has ended', async () => {
    await run({ '1_things': THINGS })
    const writer = await workshop.db.pool.connect()
    try {
      await writer.query(`begin; insert into thing values ('z', 1000)`)
      const built = run({ '1_things': THINGS, '2_index': INDEX })
      const waits = `select from pg_stat_activity where application_name = 'sonant migrate' and wait_event_type = 'Lock' and datname = current_database()`
      await expect.poll(async () => (await ask(waits)).length, { timeout: 60_000 }).toBe(1)
      await writer.query('commit')
      await built
      expect(await indexes()).toEqual(BUILT)
    } finally {
      writer.release()
    }
  })
})
