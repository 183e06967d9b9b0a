import type { ClientBase, Pool } from 'pg'

/** Tables partitioned by job id with the same bounds. Ids begin with the time of acceptance. */
export const PARTITIONED = [
  { table: 'job', key: 'id' },
  { table: 'artifact', key: 'job_id' },
  // Grants have no job; the default partition holds them.
  { table: 'credit_entry', key: 'job_id' },
] as const

export type Partitioned = (typeof PARTITIONED)[number]

/** Ids from `from`, before `until`; null: unbounded. */
export interface Partition {
  readonly table: Partitioned['table']
  readonly name: string
  readonly from: string | null
  readonly until: string | null
  readonly isDefault: boolean
  /** The planner's estimate. */
  readonly rows: number
  /** Upper bound that its check enforces already. */
  readonly closing: string | null
  readonly isOwn: boolean
}

export const CLOSING = 'partition_until'
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

export async function readPartitions(db: Pick<Pool | ClientBase, 'query'>): Promise<Partition[]> {
  const { rows } = await db.query<Row>(PARTITIONS, [PARTITIONED.map(({ table }) => table)])
  return rows.map(({ bound, ...row }) => {
    const [, from = null, until = null] = BOUND.exec(bound) ?? []
    return { ...row, from, until, isDefault: bound === 'DEFAULT' }
  })
}

export function newestOf(partitions: readonly Partition[], table: Partitioned['table']): Partition {
  const own = partitions.filter((one) => one.table === table)
  const newest = own.find(({ until, isDefault }) => until === null && !isDefault) ?? own.find((one) => one.isDefault)
  if (newest === undefined) throw new Error(`The table ${table} has no partition that takes new rows.`)
  return newest
}
