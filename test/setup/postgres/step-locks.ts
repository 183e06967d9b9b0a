import type { PoolClient } from 'pg'
import { expect } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import type { Migration, TableLock } from '../../../src/db/migrations/migration-files.ts'

/** These locks delay writes or another step; the weakest comes first. */
const MODES = ['SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE']
/** Each table, also each partition, by the name of the whole. */
const TABLES = `select oid, relname as name, coalesce(pg_partition_root(oid), oid)::regclass::text as whole from pg_class
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`
const HELD = `select c.relname as table, upper(trim(regexp_replace(regexp_replace(l.mode, 'Lock$', ''), '([A-Z])', ' \\1', 'g'))) as mode, l.granted
  from pg_locks l join pg_class c on c.oid = l.relation where l.pid = $1 and c.relkind in ('r', 'p')`

const PARTS = `select i.inhrelid::regclass::text as part from pg_inherits i join pg_class c on c.oid = i.inhparent
  where c.relname = $1 and c.relnamespace = 'public'::regnamespace order by 1`

type Lock = Pick<TableLock, 'table'> & { readonly mode: string }

/** Runs the steps of a migration. Returns, for each, what it declares to lock and what PostgreSQL locks of the tables before it. */
export async function compareLocks(db: Database, { steps }: Migration) {
  const [declared, taken]: Lock[][][] = [[], []]
  const client = await db.pool.connect()
  try {
    const { rows } = await client.query<{ name: string; whole: string }>(TABLES)
    const wholes = new Map(rows.map(({ name, whole }) => [name, whole]))
    for (const { kind, sql, locks } of steps) {
      declared?.push(strongest(locks, wholes))
      const found = kind === 'concurrently' ? await concurrently(db, client, sql, locks) : await heldBy(client, sql)
      taken?.push(strongest(found, wholes))
    }
  } finally {
    client.release()
  }
  return { declared, taken }
}

/** The strongest lock of each table. */
function strongest(locks: readonly Lock[], wholes: ReadonlyMap<string, string>): Lock[] {
  const known = locks.flatMap(({ table, mode }) => {
    const whole = wholes.get(table)
    return whole === undefined || !MODES.includes(mode) ? [] : [{ table: whole, mode }]
  })
  const sorted = known.toSorted((a, b) => MODES.indexOf(b.mode) - MODES.indexOf(a.mode))
  return sorted
    .filter(({ table }, at) => at === sorted.findIndex((one) => one.table === table))
    .toSorted((a, b) => a.table.localeCompare(b.table))
}

async function heldBy(client: PoolClient, sql: string): Promise<Lock[]> {
  await client.query('begin')
  await client.query(sql.replaceAll('$1', 'null'))
  const { rows } = await client.query<Lock>(HELD, [await pidOf(client)])
  await client.query('commit')
  return rows
}

/** An index of a partitioned table is built partition by partition and then attached, as the migration does it. */
async function concurrently(
  db: Database,
  client: PoolClient,
  sql: string,
  locks: readonly TableLock[],
): Promise<Lock[]> {
  const [, name = '', table = '', rest = ''] = /^\s*create index concurrently (\w+) on (\w+)(.*)$/is.exec(sql) ?? []
  const { rows } = await client.query<{ part: string }>(PARTS, [table])
  if (rows.length === 0) return waitedFor(db, client, sql, locks)
  const found: Lock[] = []
  for (const { part } of rows) {
    const one = `create index concurrently ${part}_${name} on ${part}${rest}`
    found.push(...(await waitedFor(db, client, one, locks)))
  }
  const attached = rows.map(({ part }) => `; alter index ${name} attach partition ${part}_${name}`)
  found.push(...(await heldBy(client, `create index ${name} on only ${table}${rest}${attached.join('')}`)))
  return found
}

/** A statement outside of a transaction keeps nothing: it is seen as it waits for the tables that it declares. */
async function waitedFor(db: Database, client: PoolClient, sql: string, locks: readonly TableLock[]): Promise<Lock[]> {
  if (locks.length === 0) {
    await client.query(sql)
    return []
  }
  const pid = await pidOf(client)
  const holder = await db.pool.connect()
  try {
    await holder.query(`begin; lock table ${locks.map(({ table }) => table).join(', ')} in access exclusive mode`)
    const running = client.query(sql)
    const waiting = async () =>
      (await holder.query<Lock & { granted: boolean }>(HELD, [pid])).rows.filter(({ granted }) => !granted)
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000, interval: 20 }).toBe(1)
    const found = await waiting()
    await holder.query('rollback')
    await running
    return found
  } finally {
    holder.release()
  }
}

const pidOf = async (client: PoolClient): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
