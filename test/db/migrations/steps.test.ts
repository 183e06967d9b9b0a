import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/db/migrations/migration-files.ts'
import { isOlder } from '../../../src/db/migrations/minimum-version.ts'
import { plannedTables } from '../../../src/db/migrations/planned-tables.ts'
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
    expect(locksOf(sql, plannedTables([]))).toEqual([{ table, mode }])
  })

  test('leave out what is made by the same migrations, and the bodies of functions', () => {
    const sql =
      'create table a (b int); create index c on a (b); create function d() returns int language sql as $$ delete from job; $$;'
    expect(locksOf(sql, plannedTables([]))).toEqual([])
  })

  test('that a step takes by name are on all of its tables', () => {
    expect(locksOf('LOCK TABLE "job", "artifact" IN SHARE ROW EXCLUSIVE MODE;', plannedTables([]))).toEqual([
      { table: 'job', mode: 'SHARE ROW EXCLUSIVE' },
      { table: 'artifact', mode: 'SHARE ROW EXCLUSIVE' },
    ])
  })

  test('of an index that goes are on its table, wherever that was said', () => {
    const tables = plannedTables([])
    locksOf('create unique index concurrently "b" on "job"("c"); create index d on artifact (e)', tables)
    expect(locksOf('drop index b, d', tables)).toEqual([
      { table: 'job', mode: 'ACCESS EXCLUSIVE' },
      { table: 'artifact', mode: 'ACCESS EXCLUSIVE' },
    ])
    expect(locksOf('drop index concurrently if exists "b"', tables)).toEqual([
      { table: 'job', mode: 'SHARE UPDATE EXCLUSIVE' },
    ])
    expect(locksOf('drop index f', tables)).toEqual([{ table: 'the table of f', mode: 'ACCESS EXCLUSIVE' }])
  })

  test.each([
    ['alter table a add constraint b foreign key (c) references "d"("e")', ['a', 'd']],
    ['alter table a add column b text references d, add column c text references "e"', ['a', 'd', 'e']],
    ['create table a (b text references "d"("e"), c text references e)', ['d', 'e']],
  ])('of foreign keys are on all of their tables: %s', (sql, names) => {
    expect(locksOf(sql, plannedTables([])).map(({ table }) => table)).toEqual(names)
  })

  test.each([
    ['create table a partition of job for values in (1)', ['ACCESS EXCLUSIVE job']],
    ['alter table job attach partition "a" default', ['SHARE UPDATE EXCLUSIVE job', 'ACCESS EXCLUSIVE a']],
    ['alter table job detach partition a', ['ACCESS EXCLUSIVE job', 'ACCESS EXCLUSIVE a']],
  ])('of partitions are on the whole and on them: %s', (sql, locks) => {
    expect(locksOf(sql, plannedTables([])).map(({ table, mode }) => `${mode} ${table}`)).toEqual(locks)
  })

  test('follow a table to its other names, and name it as it was known', () => {
    const tables = plannedTables([{ table: 'job', indexes: ['job_pkey', 'job_a'] }])
    const known = (sql: string) => locksOf(sql, tables).map(({ table, mode }) => `${mode} ${table}`)
    const renaming =
      'alter table job rename to job_old; alter index job_a rename to job_old_a; create table "job" (a int)'
    // Nobody else knows the new one before the step is committed.
    expect(known(`${renaming}; create index job_a on job (a)`)).toEqual(['ACCESS EXCLUSIVE job'])
    expect(known('create index b on job (a)')).toEqual(['SHARE job'])
    expect(known('create index c on job_old (a)')).toEqual(['SHARE job'])
    expect(known('drop index job_old_a, job_pkey, job_a')).toEqual(['ACCESS EXCLUSIVE job'])
    expect(known('drop table job_old; create table job_old (a int); create index d on job_old (a)')).toEqual([
      'ACCESS EXCLUSIVE job',
    ])
    expect(known('create table if not exists job (a int); create index e on job (a)')).toEqual(['SHARE job'])
  })

  test('of a whole are on the partitions that it has got meanwhile, as long as it has them', () => {
    const tables = plannedTables([{ table: 'a', indexes: [] }])
    const known = (sql: string) => locksOf(sql, tables).map(({ table, mode }) => `${mode} ${table}`)
    expect(known('create table b (c int) partition by range (c); create index d on b (c)')).toEqual([])
    expect(known('alter table b attach partition a default')).toEqual(['ACCESS EXCLUSIVE a'])
    expect(known('create index e on b (c)')).toEqual(['SHARE a'])
    expect(known('alter table b detach partition a')).toEqual(['ACCESS EXCLUSIVE a'])
    expect(known('create index f on b (c)')).toEqual([])
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
