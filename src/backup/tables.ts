import type { QueryResultRow } from 'pg'
import { PARTITIONED } from '../jobs/partitions/partitions.ts'
import type { Manifest } from './manifest.ts'

/** What answers a statement without parameters. */
export interface Reader {
  query<Row extends QueryResultRow>(text: string): Promise<Row[]>
}

/**
 * Prisma's ledger is made by migrating, and workers are processes of the place that was backed up. The queue is left out, too: it is
 * filled from the jobs and deliveries that have not ended, as after a crash.
 */
const LEFT_OUT = `'_prisma_migrations', 'worker'`

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

/** A table with what is copied of it, whole partitioned tables as one. */
export interface Table {
  readonly name: string
  readonly columns: string[]
}

/** Whether a table or sequence is the service's own, by its name. */
export type IsOwn = (name: string) => boolean

/** Every table of the schema that may be in a backup, those that others refer to before those. */
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

/** Whether workers partition a table: what is restored of it begins with a single partition. */
export const isPartitionedByWorkers = (name: string): boolean => PARTITIONED.some(({ table }) => table === name)

export async function listPartitions(db: Reader, isOwn: IsOwn): Promise<Manifest['partitions']> {
  const partitions = await db.query<Manifest['partitions'][number]>(PARTITIONS)
  return partitions.filter(({ parent }) => isOwn(parent) && !isPartitionedByWorkers(parent))
}

/** Where the next number of each sequence comes from; one of a column is its table's. */
export async function listSequences(db: Reader, isOwn: IsOwn): Promise<Manifest['sequences']> {
  const sequences = await db.query<Manifest['sequences'][number] & { partOf: string }>(SEQUENCES)
  return sequences.filter(({ partOf }) => isOwn(partOf)).map(({ name, value, isCalled }) => ({ name, value, isCalled }))
}

const plain = (name: string): string => name.replaceAll('"', '')
