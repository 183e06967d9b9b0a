import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOlder } from '../../../src/db/migrations/migrate.ts'
import { MIGRATIONS, stepsOf } from '../../../src/db/migrations/migration-files.ts'

describe('the steps of a file', () => {
  test('without marks are one transaction, as it is written', () => {
    expect(stepsOf('create table a ();\n')).toEqual([{ kind: 'transaction', sql: 'create table a ();\n', locks: [] }])
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
  test('are those that its lines declare, of each concurrent statement its own', () => {
    const sql = `-- why
-- locks: job (ACCESS EXCLUSIVE), account (SHARE ROW EXCLUSIVE)
-- locks: job_event (SHARE)
alter table a add b int;
-- concurrently
-- locks: c (SHARE UPDATE EXCLUSIVE)
create index concurrently b
  on c (d);
drop index concurrently if exists e;
-- in pages
-- locks: f (ROW EXCLUSIVE)
select 1;`
    expect(stepsOf(sql).map(({ locks }) => locks.map(({ table, mode }) => `${mode} ${table}`))).toEqual([
      ['ACCESS EXCLUSIVE job', 'SHARE ROW EXCLUSIVE account', 'SHARE job_event'],
      ['SHARE UPDATE EXCLUSIVE c'],
      [],
      ['ROW EXCLUSIVE f'],
    ])
  })

  test.each([
    'job',
    'job (EXCLUSIV)',
    'job (access exclusive)',
    'job ACCESS EXCLUSIVE',
    'job (SHARE) account (SHARE)',
    '',
  ])('are refused if they are none: %s', (list) => {
    expect(() => stepsOf(`-- locks: ${list}\nselect 1`)).toThrow(`Not the lock of a table: ${list}`)
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
