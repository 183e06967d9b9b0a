import { commitStep, follow, knownAs, make, type PlannedTables, tableOfIndex } from './planned-tables.ts'
import { form, plainNames, statementsOf } from './statement-forms.ts'

export interface TableLock {
  readonly table: string
  readonly mode: (typeof MODES)[number]
}

const MODES = [
  ...(['ACCESS SHARE', 'ROW SHARE', 'ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE'] as const),
  ...(['SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'] as const),
] as const

const FORMS: readonly (readonly [RegExp, TableLock['mode']])[] = [
  [form('^create (?:unique )?index concurrently (?:if not exists )?\\S+ on NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [form('^create (?:unique )?index (?:if not exists )?\\S+ on NAME'), 'SHARE'],
  [form('^create statistics .* from NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [form('^(?:vacuum|analyze) NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [form('^create (?:constraint )?trigger .*? on NAME'), 'SHARE ROW EXCLUSIVE'],
  [form('^create table .* partition of NAME'), 'ACCESS EXCLUSIVE'],
  [
    form('^alter table NAME (?:validate constraint|set \\(|detach partition \\S+ concurrently)'),
    'SHARE UPDATE EXCLUSIVE',
  ],
  [form('^alter table NAME add constraint \\S+ foreign key'), 'SHARE ROW EXCLUSIVE'],
  [form('^alter table NAME attach partition'), 'SHARE UPDATE EXCLUSIVE'],
  [form('^alter table NAME'), 'ACCESS EXCLUSIVE'],
  [form('^drop (?:table|view) NAMES'), 'ACCESS EXCLUSIVE'],
  [form('^drop trigger \\S+ on NAME'), 'ACCESS EXCLUSIVE'],
  ...MODES.map((mode) => [form(`^lock (?:table )?NAMES in ${mode} mode`), mode] as const),
  [form('^lock (?:table )?NAMES'), 'ACCESS EXCLUSIVE'],
  [form('^truncate (?:table )?NAMES'), 'ACCESS EXCLUSIVE'],
  [form('^insert into NAME'), 'ROW EXCLUSIVE'],
  [form('^(?:with .*? )?(?:update|delete from) NAME'), 'ROW EXCLUSIVE'],
]
const OTHERS: typeof FORMS = [
  [form('\\breferences NAME', 'gi'), 'SHARE ROW EXCLUSIVE'],
  [form('\\b(?:attach|detach) partition NAME', 'gi'), 'ACCESS EXCLUSIVE'],
]
const ABOUT_TABLE = /^(?:create|alter) (?:unlogged )?table /i
const INDEX_FORMS: typeof FORMS = [
  [form('^drop index concurrently NAMES'), 'SHARE UPDATE EXCLUSIVE'],
  [form('^drop index NAMES'), 'ACCESS EXCLUSIVE'],
]

/**
 * Returns the locks that a step takes on existing tables.
 * @param tables names before the step; updated to those after it
 */
export function locksOf(sql: string, tables: PlannedTables): TableLock[] {
  const locks: TableLock[] = []
  for (const statement of statementsOf(sql)) {
    make(tables, statement)
    for (const { table: name, mode } of [...lockedBy(FORMS, statement), ...othersLockedBy(statement)])
      locks.push(...knownAs(tables, name).map((table) => ({ table, mode })))
    for (const { table: index, mode } of lockedBy(INDEX_FORMS, statement))
      locks.push(...tableOfIndex(tables, index).map((table) => ({ table, mode })))
    follow(tables, statement)
  }
  commitStep(tables)
  return locks.filter((lock, at) => at === locks.findIndex((o) => o.table === lock.table && o.mode === lock.mode))
}

function lockedBy(forms: typeof FORMS, statement: string): TableLock[] {
  for (const [form, mode] of forms) {
    const names = form.exec(statement)?.slice(1)
    if (names !== undefined) return names.flatMap(plainNames).map((table) => ({ table, mode }))
  }
  return []
}

const othersLockedBy = (statement: string): TableLock[] =>
  ABOUT_TABLE.test(statement)
    ? OTHERS.flatMap(([other, mode]) =>
        [...statement.matchAll(other)].flatMap(([, name = '']) => plainNames(name).map((table) => ({ table, mode }))),
      )
    : []
