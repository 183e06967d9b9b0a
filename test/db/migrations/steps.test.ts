import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { isOlder } from '../../../src/db/migrations/minimum-version.ts'
import { locksOf } from '../../../src/db/migrations/statement-locks.ts'
import { stepsOf } from '../../../src/db/migrations/steps.ts'

describe('the steps of a file', () => {
  test('without marks are one transaction, as it is written', () => {
    expect(stepsOf('create table a ();\n')).toEqual([{ kind: 'transaction', sql: 'create table a ();\n' }])
  })

  test('that are marked run apart, and each concurrent statement by itself', () => {
    const sql =
      'create table a ();\n-- concurrently\n-- why\ncreate index concurrently b\n  on a (c);\ndrop index concurrently if exists d;\n-- in one transaction\nselect 1;'
    expect(stepsOf(sql).map(({ kind, sql }) => [kind, sql.trim()])).toEqual([
      ['transaction', 'create table a ();'],
      ['concurrently', 'create index concurrently b\n  on a (c)'],
      ['concurrently', 'drop index concurrently if exists d'],
      ['transaction', 'select 1;'],
    ])
  })

  test.each([
    'create index b on a (c);',
    'alter table a add c int;',
    'drop index concurrently d;',
    'update a set b = 1;',
    'create statistics b on c, d from a;',
  ])('outside of a transaction are refused where they block or cannot be run again: %s', (sql) => {
    expect(() => stepsOf(`-- concurrently\n${sql}`)).toThrow('Not to be run outside of a transaction')
  })

  test('of every migration are well marked', () => {
    const files = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'))
    for (const file of files)
      expect(stepsOf(readFileSync(join(MIGRATIONS, file), 'utf8')).length, file).toBeGreaterThan(0)
  })
})

describe('the locks of a step', () => {
  test.each([
    ['alter table "job" add column "a" int', 'job', 'ACCESS EXCLUSIVE'],
    ['CREATE INDEX "a" ON "job"("b")', 'job', 'SHARE'],
    ['create unique index concurrently a on job (b)', 'job', 'SHARE UPDATE EXCLUSIVE'],
    [
      'create statistics if not exists a on (extract(epoch from ("b" - "c"))) from "job"',
      'job',
      'SHARE UPDATE EXCLUSIVE',
    ],
    ['ANALYZE "job"', 'job', 'SHARE UPDATE EXCLUSIVE'],
    ['alter table job validate constraint a', 'job', 'SHARE UPDATE EXCLUSIVE'],
    ['create trigger a after insert on job for each statement execute function b()', 'job', 'SHARE ROW EXCLUSIVE'],
    ['insert into job select 1', 'job', 'ROW EXCLUSIVE'],
    ['with a as (select 1) update job set b = 1', 'job', 'ROW EXCLUSIVE'],
    ['LOCK TABLE "job"', 'job', 'ACCESS EXCLUSIVE'],
    ['lock only job in row share mode nowait', 'job', 'ROW SHARE'],
  ])('%s', (sql, table, mode) => {
    expect(locksOf(sql, new Set())).toEqual([{ table, mode }])
  })

  test('leave out what is made by the same migrations, and the bodies of functions', () => {
    const sql =
      'create table a (b int); create index c on a (b); create function d() returns int language sql as $$ delete from job; $$;'
    expect(locksOf(sql, new Set())).toEqual([])
  })

  test('that a step takes by name are on all of its tables', () => {
    expect(locksOf('LOCK TABLE "job", "artifact" IN SHARE ROW EXCLUSIVE MODE;', new Set())).toEqual([
      { table: 'job', mode: 'SHARE ROW EXCLUSIVE' },
      { table: 'artifact', mode: 'SHARE ROW EXCLUSIVE' },
    ])
  })

  test('of an index that goes are on its table, wherever that was said', () => {
    const indexes = new Map<string, string>()
    locksOf('create unique index concurrently "b" on "job"("c"); create index d on artifact (e)', new Set(), indexes)
    expect(locksOf('drop index b, d', new Set(), indexes)).toEqual([
      { table: 'job', mode: 'ACCESS EXCLUSIVE' },
      { table: 'artifact', mode: 'ACCESS EXCLUSIVE' },
    ])
    expect(locksOf('drop index concurrently if exists "b"', new Set(), indexes)).toEqual([
      { table: 'job', mode: 'SHARE UPDATE EXCLUSIVE' },
    ])
    expect(locksOf('drop index f', new Set(), indexes)).toEqual([{ table: 'the table of f', mode: 'ACCESS EXCLUSIVE' }])
  })

  test('of a foreign key are on both tables', () => {
    const sql = 'alter table a add constraint b foreign key (c) references "d"("e")'
    expect(locksOf(sql, new Set()).map(({ table }) => table)).toEqual(['a', 'd'])
  })
})

test.each([
  ['0.1.0', '0.1.0', false],
  ['0.1.0', '0.1.1', true],
  ['0.9.0', '0.10.0', true],
  ['1.0.0', '0.10.0', false],
  ['0.1.0', '1', true],
  ['1.2.3', '1.2', false],
])('%s is older than %s: %s', (version, than, older) => {
  expect(isOlder(version, than)).toBe(older)
})
