import { withoutComments } from './steps.ts'

/** A table that was there before, and how a statement locks it until its step ends. */
export interface TableLock {
  readonly table: string
  readonly mode: (typeof MODES)[number]
}

const MODES = [
  ...(['ACCESS SHARE', 'ROW SHARE', 'ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE'] as const),
  ...(['SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'] as const),
] as const
const NAME = '(?:only )?(?:if exists )?([\\w".]+)'
const NAMES = '(?:if exists )?((?:only )?[\\w".]+(?: ?\\*)?(?: ?, ?(?:only )?[\\w".]+(?: ?\\*)?)*)'
const on = (form: string) => new RegExp(form.replaceAll('NAMES', NAMES).replaceAll('NAME', NAME), 'i')

/** The first form that fits a statement decides; its groups are the tables. */
const FORMS: readonly (readonly [RegExp, TableLock['mode']])[] = [
  [on('^create (?:unique )?index concurrently (?:if not exists )?\\S+ on NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^create (?:unique )?index (?:if not exists )?\\S+ on NAME'), 'SHARE'],
  [on('^create statistics .* from NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^(?:vacuum|analyze) NAME'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^create (?:constraint )?trigger .*? on NAME'), 'SHARE ROW EXCLUSIVE'],
  [on('^create table .* references NAME'), 'SHARE ROW EXCLUSIVE'],
  [
    on('^alter table NAME (?:validate constraint|set \\(|detach partition \\S+ concurrently)'),
    'SHARE UPDATE EXCLUSIVE',
  ],
  [on('^alter table NAME add constraint \\S+ foreign key .* references NAME'), 'SHARE ROW EXCLUSIVE'],
  [on('^alter table NAME attach partition'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^alter table NAME'), 'ACCESS EXCLUSIVE'],
  [on('^drop (?:table|view) NAMES'), 'ACCESS EXCLUSIVE'],
  [on('^drop trigger \\S+ on NAME'), 'ACCESS EXCLUSIVE'],
  ...MODES.map((mode) => [on(`^lock (?:table )?NAMES in ${mode} mode`), mode] as const),
  [on('^lock (?:table )?NAMES'), 'ACCESS EXCLUSIVE'],
  [on('^truncate (?:table )?NAMES'), 'ACCESS EXCLUSIVE'],
  [on('^insert into NAME'), 'ROW EXCLUSIVE'],
  [on('^(?:with .*? )?(?:update|delete from) NAME'), 'ROW EXCLUSIVE'],
]
/** What names an index, and not the table that it locks. */
const INDEX_FORMS: typeof FORMS = [
  [on('^drop index concurrently NAMES'), 'SHARE UPDATE EXCLUSIVE'],
  [on('^drop index NAMES'), 'ACCESS EXCLUSIVE'],
]
const CREATED = /^create (?:unlogged )?table (?:if not exists )?([\w".]+)/i
const INDEXED = on('^create (?:unique )?index (?:concurrently )?(?:if not exists )?([\\w".]+) on NAME')

/**
 * What the statements of a step lock that was there before.
 * @param own tables to leave out, to which those that it creates are added
 * @param indexes the table of each index by its name, to which those that it creates are added
 */
export function locksOf(sql: string, own: Set<string>, indexes = new Map<string, string>()): TableLock[] {
  const locks: TableLock[] = []
  for (const statement of statementsOf(sql)) {
    const created = CREATED.exec(statement)?.[1]
    if (created !== undefined) own.add(plain(created))
    const [, index, table] = INDEXED.exec(statement) ?? []
    if (index !== undefined && table !== undefined) indexes.set(plain(index), plain(table))
    for (const lock of locksOfOne(statement, indexes)) if (!own.has(lock.table)) locks.push(lock)
  }
  return locks.filter((lock, at) => at === locks.findIndex((o) => o.table === lock.table && o.mode === lock.mode))
}

const locksOfOne = (statement: string, indexes: ReadonlyMap<string, string>): TableLock[] => [
  ...lockedBy(FORMS, statement),
  ...lockedBy(INDEX_FORMS, statement).map(({ table: index, mode }) => ({
    table: indexes.get(index) ?? `the table of ${index}`,
    mode,
  })),
]

function lockedBy(forms: typeof FORMS, statement: string): TableLock[] {
  for (const [form, mode] of forms) {
    const names = form.exec(statement)?.slice(1)
    if (names !== undefined)
      return names.flatMap((all) => all.split(',')).map((table) => ({ table: plain(table), mode }))
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

const plain = (name: string): string => name.replace(/^ ?(?:only )?/i, '').replace(/["* ]/g, '')
