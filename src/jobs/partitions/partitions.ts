import type { ClientBase, Pool } from 'pg'

/**
 * The tables whose rows belong to a job, partitioned by its id with the same bounds. Ids begin with the time of acceptance, so a bound is
 * a time.
 */
export const PARTITIONED = [
  { table: 'job', key: 'id' },
  { table: 'artifact', key: 'job_id' },
  // Grants belong to no job: they are in the default partition. The entries of a job outlive it.
  { table: 'credit_entry', key: 'job_id' },
] as const

export type Partitioned = (typeof PARTITIONED)[number]

/** A partition of such a table; ids from `from` on and before `until`, null where it has no such bound. */
export interface Partition {
  readonly table: Partitioned['table']
  readonly name: string
  readonly from: string | null
  readonly until: string | null
  readonly isDefault: boolean
  /** As the planner has it. */
  readonly rows: number
  /** Before which id its check keeps all rows: it is about to be closed there. */
  readonly closing: string | null
  /** Whether the role of this process may change it, and add another one. */
  readonly isOwn: boolean
}

/** What a partition is checked by while it is being closed; the default one for good, so that others can be added without a look at it. */
export const CLOSING = 'partition_until'
/** What a partition is checked by from its beginning on. */
export const BEGINNING = 'partition_from'

const PARTITIONS = `
  select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, greatest(c.reltuples, 0)::float8 as rows,
    (select substring(pg_get_constraintdef(k.oid) from '< ''(job_[0-9a-z]+)''') from pg_constraint k
     where k.conrelid = c.oid and k.conname = '${CLOSING}') as closing, pg_has_role(c.relowner, 'usage')
      and has_schema_privilege(current_schema(), 'create') and has_schema_privilege(c.relowner, current_schema(), 'create') as "isOwn"
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace order by c.relname`
const BOUND = /^FOR VALUES FROM \((?:MINVALUE|'(\w+)')\) TO \((?:MAXVALUE|'(\w+)')\)$/

type Row = Omit<Partition, 'from' | 'until' | 'isDefault'> & { readonly bound: string }

/** All partitions of these tables, by their names. */
export async function readPartitions(db: Pick<Pool | ClientBase, 'query'>): Promise<Partition[]> {
  const { rows } = await db.query<Row>(PARTITIONS, [PARTITIONED.map(({ table }) => table)])
  return rows.map(({ bound, ...row }) => {
    const [, from = null, until = null] = BOUND.exec(bound) ?? []
    return { ...row, from, until, isDefault: bound === 'DEFAULT' }
  })
}

/** The one that takes what comes: of the ledger the default one, until its first partition of its own. */
export function newestOf(partitions: readonly Partition[], table: Partitioned['table']): Partition {
  const own = partitions.filter((one) => one.table === table)
  const newest = own.find(({ until, isDefault }) => until === null && !isDefault) ?? own.find((one) => one.isDefault)
  if (newest === undefined) throw new Error(`The table ${table} has no partition that takes new rows.`)
  return newest
}
