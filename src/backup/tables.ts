import type { QueryResultRow } from 'pg'
import { PARTITIONED } from '../jobs/partitions/partitions.ts'
import type { Manifest } from './manifest.ts'

export interface Reader {
  query<Row extends QueryResultRow>(text: string): Promise<Row[]>
}

/** A restore creates the migration ledger; the queue refills from unfinished jobs and deliveries, and workers ask the engines anew. */
const LEFT_OUT = `'_prisma_migrations', 'worker', 'engine_server', 'engine_minute'`

const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in (${LEFT_OUT})
  group by c.relname order by c.relname`
const PARTITIONS = `
  select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
  where c.relispartition and c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace order by p.relname, c.relname`
const REFERENCES = `
  select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
  where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`
const SEQUENCES = `
  select sequencename as name, coalesce(last_value, start_value)::text as value, last_value is not null as "isCalled",
    coalesce((
      select t.relname from pg_depend d join pg_class t on t.oid = d.refobjid
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    ), sequencename) as "partOf"
  from pg_sequences join pg_class c on c.relname = sequencename and c.relnamespace = schemaname::regnamespace
  where schemaname = current_schema() order by 1`

export interface Table {
  readonly name: string
  readonly columns: string[]
}

export type IsOwn = (name: string) => boolean

/** All tables that a backup may hold, referenced tables first. */
export async function listTables(db: Reader): Promise<Table[]> {
  const tables = await db.query<Table>(TABLES)
  const references = await db.query<{ from: string; to: string }>(REFERENCES)
  const sorted: Table[] = []
  const visit = (table: Table, above: readonly string[]) => {
    if (sorted.includes(table) || above.includes(table.name)) return
    for (const { to } of references.filter(({ from }) => plain(from) === table.name)) {
      const target = tables.find(({ name }) => name === plain(to))
      if (target !== undefined) visit(target, [...above, table.name])
    }
    sorted.push(table)
  }
  for (const table of tables) visit(table, [])
  return sorted
}

export const isPartitionedByWorkers = (name: string): boolean => PARTITIONED.some(({ table }) => table === name)

export async function listPartitions(db: Reader, isOwn: IsOwn): Promise<Manifest['partitions']> {
  const partitions = await db.query<Manifest['partitions'][number]>(PARTITIONS)
  return partitions.filter(({ parent }) => isOwn(parent) && !isPartitionedByWorkers(parent))
}

export async function listSequences(db: Reader, isOwn: IsOwn): Promise<Manifest['sequences']> {
  const sequences = await db.query<Manifest['sequences'][number] & { partOf: string }>(SEQUENCES)
  return sequences.filter(({ partOf }) => isOwn(partOf)).map(({ name, value, isCalled }) => ({ name, value, isCalled }))
}

const plain = (name: string): string => name.replaceAll('"', '')
