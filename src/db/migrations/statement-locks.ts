import { withoutComments } from './steps.ts'

/** A table that was there before, and how a statement locks it until its step ends. */
export interface TableLock {
  readonly table: string
  readonly mode: 'ROW EXCLUSIVE' | 'SHARE UPDATE EXCLUSIVE' | 'SHARE' | 'SHARE ROW EXCLUSIVE' | 'ACCESS EXCLUSIVE'
}

const NAME = '(?:only )?(?:if exists )?([\\w".]+)'
const on = (form: string) => new RegExp(form.replaceAll('NAME', NAME), 'i')

/** The first form that fits a statement decides; its groups are the tables. */
const FORMS: readonly (readonly [RegExp, TableLock['mode']])[] = [
  [on('^create (?:unique )?index concurrently (?:if not exists )?\\S+ on NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^create (?:unique )?index (?:if not exists )?\\S+ on NAME'), 'SHARE'],
  [on('^create (?:constraint )?trigger .*? on NAME'), 'SHARE ROW EXCLUSIVE'],
  [on('^create table .* references NAME'), 'SHARE ROW EXCLUSIVE'],
  [
    on('^alter table NAME (?:validate constraint|set \\(|detach partition \\S+ concurrently)'),
    'SHARE UPDATE EXCLUSIVE',
  ],
  [on('^alter table NAME add constraint \\S+ foreign key .* references NAME'), 'SHARE ROW EXCLUSIVE'],
  [on('^alter table NAME attach partition'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^alter table NAME'), 'ACCESS EXCLUSIVE'],
  [on('^drop (?:table|view) NAME'), 'ACCESS EXCLUSIVE'],
  [on('^drop trigger \\S+ on NAME'), 'ACCESS EXCLUSIVE'],
  [on('^drop index concurrently NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^drop index NAME'), 'ACCESS EXCLUSIVE'],
  [on('^truncate (?:table )?NAME'), 'ACCESS EXCLUSIVE'],
  [on('^insert into NAME'), 'ROW EXCLUSIVE'],
  [on('^(?:with .*? )?(?:update|delete from) NAME'), 'ROW EXCLUSIVE'],
]
const CREATED = /^create (?:unlogged )?table (?:if not exists )?([\w".]+)/i

/** What the statements of a step lock that was there before, without the tables in `own`, to which those that it creates are added. */
export function locksOf(sql: string, own: Set<string>): TableLock[] {
  const locks: TableLock[] = []
  for (const statement of statementsOf(sql)) {
    const created = CREATED.exec(statement)?.[1]
    if (created !== undefined) own.add(plain(created))
    for (const lock of lockOf(statement)) if (!own.has(lock.table)) locks.push(lock)
  }
  return locks.filter((lock, at) => at === locks.findIndex((o) => o.table === lock.table && o.mode === lock.mode))
}

function lockOf(statement: string): TableLock[] {
  for (const [form, mode] of FORMS) {
    const found = form.exec(statement)
    if (found !== null) return found.slice(1).map((table) => ({ table: plain(table), mode }))
  }
  return []
}

/** One a line; bodies of functions are left out, as they run later. */
const statementsOf = (sql: string): string[] =>
  withoutComments(sql)
    .replace(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

const plain = (name: string): string => name.replaceAll('"', '').replace(/\(.*/, '')
