import { setTimeout as pause } from 'node:timers/promises'
import { type ClientBase, escapeIdentifier, escapeLiteral, type Pool } from 'pg'
import { isHeldUp } from '../../db/connections/lock-wait.ts'
import { idTime } from '../../values/id.ts'

/** Tables partitioned by job id with the same bounds. Ids begin with the time of acceptance. */
export const PARTITIONED = [
  { table: 'job', key: 'id' },
  { table: 'artifact', key: 'job_id' },
  // Grants have no job; the default partition holds them.
  { table: 'credit_entry', key: 'job_id' },
] as const

type Partitioned = (typeof PARTITIONED)[number]

const CLOSING = 'partition_until'
const BEGINNING = 'partition_from'

const PARTITIONS = `
  select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, greatest(c.reltuples, 0)::float8 as rows,
    (select substring(pg_get_constraintdef(k.oid) from '< ''(job_[0-9a-z]+)''') from pg_constraint k
     where k.conrelid = c.oid and k.conname = '${CLOSING}') as closing, pg_has_role(c.relowner, 'usage')
      and has_schema_privilege(current_schema(), 'create') and has_schema_privilege(c.relowner, current_schema(), 'create') as "isOwn"
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace order by c.relname`
const BOUND = /^FOR VALUES FROM \((?:MINVALUE|'(\w+)')\) TO \((?:MAXVALUE|'(\w+)')\)$/

export const lockTogether = (tables: readonly string[]): string[] => [
  `set local statement_timeout = '${LONGEST_LOCK_WAIT}'`,
  `do $$ begin lock table ${tables.join(', ')} in access exclusive mode;
    exception when query_canceled then raise lock_not_available; end $$`,
  'set local statement_timeout = 0',
]

/** Other transactions queue behind a waiting lock. */
const LONGEST_LOCK_WAIT = '100ms'
/** Claims and completions lock in this order. Attaching a partition changes triggers of `account`. */
const LOCK = lockTogether([...PARTITIONED.map(({ table }) => table), 'account'])

/** Settings, owner and grants, which LIKE does not copy. */
const TRAITS = `
  select format('alter table %I set (%s)', $1::text, array_to_string(reloptions, ', ')) as sql
  from pg_class where oid = $2::regclass and reloptions is not null
  union all select format('alter table %I owner to %I', $1::text, pg_get_userbyid(relowner)) from pg_class where oid = $2::regclass
  union all
  select format('grant %s on %I to %s', a.privilege_type, $1::text, coalesce(quote_ident(r.rolname), 'public'))
    || case when a.is_grantable then ' with grant option' else '' end
  from pg_class c cross join lateral aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
  where c.oid = $2::regclass and a.grantee <> c.relowner`

const PAUSE_MS = 200
const TRIES = 5

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

type Row = Omit<Partition, 'from' | 'until' | 'isDefault'> & { readonly bound: string }

interface Succession {
  readonly of: Partitioned
  readonly newest: Partition
  readonly next: string
}

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

/**
 * Ends each table's newest partition before an id and adds the next. A check is validated beside writes first, so exclusive locks are short. It is safe to repeat.
 * @param until an id that no job has reached; PostgreSQL refuses later ids meanwhile
 * @throws an error that `isHeldUp` recognises
 */
export async function closePartition(client: ClientBase, until: string): Promise<void> {
  const partitions = await readPartitions(client)
  const all = PARTITIONED.map((of): Succession => {
    const next = `${of.table}_${idTime(until).toISOString().slice(0, 10).replaceAll('-', '')}`
    return { of, newest: newestOf(partitions, of.table), next }
  })
  for (const one of all) await checkNewest(client, one, until)
  const created: string[] = []
  for (const one of all) created.push(...creation(one, until), ...(await traits(client, one)))
  await briefly(client, [...created, ...LOCK, ...all.flatMap((one) => succession(one, until))])
}

export async function stopClosing(client: ClientBase): Promise<void> {
  const partitions = await readPartitions(client)
  for (const { table } of PARTITIONED) {
    const name = escapeIdentifier(newestOf(partitions, table).name)
    await briefly(client, [`alter table ${name} drop constraint if exists ${CLOSING}`])
  }
}

async function checkNewest(client: ClientBase, { of: { key }, newest }: Succession, until: string): Promise<void> {
  const name = escapeIdentifier(newest.name)
  const condition = `${newest.isDefault ? `${key} is null or ` : ''}${key} < ${escapeLiteral(until)}`
  if (newest.closing === null)
    await briefly(client, [`alter table ${name} add constraint ${CLOSING} check (${condition}) not valid`])
  await client.query(`alter table ${name} validate constraint ${CLOSING}`)
}

/** LIKE copies neither triggers nor foreign keys; attaching adds them. */
function creation({ of: { key }, newest, next }: Succession, from: string): string[] {
  const name = escapeIdentifier(next)
  return [
    `create table ${name} (like ${escapeIdentifier(newest.name)} including all)`,
    `alter table ${name} drop constraint ${CLOSING}, drop constraint if exists ${BEGINNING},
       add constraint ${BEGINNING} check (${key} is not null and ${key} >= ${escapeLiteral(from)})`,
  ]
}

async function traits(client: ClientBase, { newest, next }: Succession): Promise<string[]> {
  const { rows } = await client.query<{ sql: string }>(TRAITS, [next, escapeIdentifier(newest.name)])
  return rows.map(({ sql }) => sql)
}

function succession({ of: { table }, newest, next }: Succession, at: string): string[] {
  const [ending, beginning] = [escapeIdentifier(newest.name), escapeIdentifier(next)]
  const [from, bound] = [newest.from === null ? 'minvalue' : escapeLiteral(newest.from), escapeLiteral(at)]
  const added = `alter table ${table} attach partition ${beginning} for values from (${bound}) to (maxvalue)`
  // With this check PostgreSQL attaches partitions without a scan.
  if (newest.isDefault) return [added]
  return [
    `alter table ${table} detach partition ${ending}`,
    `alter table ${table} attach partition ${ending} for values from (${from}) to (${bound})`,
    `alter table ${ending} drop constraint ${CLOSING}`,
    added,
  ]
}

/**
 * Runs statements in one transaction with short lock waits, in several tries. They are sent together, so a suspended process holds no lock.
 * @throws PostgreSQL's errors
 */
export async function briefly(client: ClientBase, statements: readonly string[]): Promise<void> {
  const text = [`begin; set local lock_timeout = '${LONGEST_LOCK_WAIT}'`, ...statements, 'commit'].join(';\n')
  for (let tries = 1; ; tries++) {
    try {
      await client.query(text)
      return
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      if (!isHeldUp(error) || tries === TRIES) throw error
    }
    await pause(PAUSE_MS)
  }
}
