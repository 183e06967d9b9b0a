import type { Queryable } from './ledger.ts'
import { form, plainNames } from './statement-forms.ts'

interface Table {
  /** Names that other programs use for it; empty for a new table. */
  readonly known: Set<string>
  readonly partitions: Set<Table>
}

export interface PlannedTables {
  readonly before: ReadonlySet<string>
  readonly byName: Map<string, Table>
  readonly byIndex: Map<string, Table>
}

const THERE = `
  select c.relname as table, array(select n.relname::text from pg_index i join pg_class n on n.oid = i.indexrelid where i.indrelid = c.oid) as indexes
  from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace`

interface There {
  readonly table: string
  readonly indexes: readonly string[]
}

export const readTables = async (db: Queryable): Promise<PlannedTables> =>
  plannedTables((await db.query<There>(THERE)).rows)

export function plannedTables(there: readonly There[]): PlannedTables {
  const byName = new Map(there.map(({ table }) => [table, { known: new Set([table]), partitions: new Set<Table>() }]))
  const byIndex = there.flatMap(({ table, indexes }) =>
    indexes.map((index) => [index, byName.get(table) as Table] as const),
  )
  return { before: new Set(byName.keys()), byName, byIndex: new Map(byIndex) }
}

export function knownAs({ byName }: PlannedTables, name: string): string[] {
  const table = byName.get(name)
  return table === undefined ? [name] : namesOf(table)
}

export function tableOfIndex({ byIndex }: PlannedTables, index: string): string[] {
  const table = byIndex.get(index)
  return table === undefined ? [`the table of ${index}`] : namesOf(table)
}

const namesOf = ({ known, partitions }: Table): string[] => [
  ...new Set([...known, ...[...partitions].flatMap(namesOf)]),
]

const CREATED = form('^create (?:unlogged )?table (if not exists )?([\\w".]+)(?: partition of ([\\w".]+))?')
const INDEXED = form('^create (?:unique )?index (?:concurrently )?(?:if not exists )?([\\w".]+) on NAME')
const RENAMED = form('^alter table NAME rename to NAME')
const INDEX_RENAMED = form('^alter index NAME rename to NAME')
const ATTACHED = form('^alter table NAME attach partition NAME')
const DETACHED = form('^alter table NAME detach partition NAME')
const DROPPED = form('^drop table NAMES')

export function make(tables: PlannedTables, statement: string): void {
  const [created, unlessThere, name = '', whole] = CREATED.exec(statement) ?? []
  if (created === undefined) return
  const [plain = ''] = plainNames(name)
  if (unlessThere !== undefined && tables.byName.has(plain)) return
  const table: Table = { known: new Set(), partitions: new Set() }
  tables.byName.set(plain, table)
  if (whole !== undefined) tableOf(tables, whole).partitions.add(table)
}

export function follow(tables: PlannedTables, statement: string): void {
  const { byName, byIndex } = tables
  const found = (of: RegExp) => of.exec(statement)?.slice(1) ?? []
  const [index, on] = found(INDEXED)
  if (index !== undefined && on !== undefined) byIndex.set(plainNames(index)[0] as string, tableOf(tables, on))
  const [renamed, name] = found(RENAMED)
  if (renamed !== undefined) tableOf(tables, renamed)
  move(byName, [renamed, name])
  move(byIndex, found(INDEX_RENAMED))
  const [whole, part] = found(ATTACHED)
  if (whole !== undefined && part !== undefined) tableOf(tables, whole).partitions.add(tableOf(tables, part))
  const [from, detached] = found(DETACHED)
  if (from !== undefined && detached !== undefined) tableOf(tables, from).partitions.delete(tableOf(tables, detached))
  for (const name of found(DROPPED).flatMap(plainNames)) byName.delete(name)
}

/** After a commit, other programs' names refer to the tables that have them now. */
export function commitStep({ before, byName }: PlannedTables): void {
  for (const name of before) byName.get(name)?.known.add(name)
}

function tableOf({ byName }: PlannedTables, name: string): Table {
  const [plain = ''] = plainNames(name)
  const table = byName.get(plain) ?? { known: new Set([plain]), partitions: new Set() }
  byName.set(plain, table)
  return table
}

function move(named: Map<string, Table>, [from, to]: readonly (string | undefined)[]): void {
  const [[before = ''], [after = '']] = [plainNames(from ?? ''), plainNames(to ?? '')]
  const table = named.get(before)
  if (table === undefined) return
  named.delete(before)
  named.set(after, table)
}
