import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'

// PostgreSQL's own counts of what its clients have it do.

const LIBRARY = 'pg_stat_statements'
/** PostgreSQL's processes hand on what they have counted after ten idle seconds at the latest. */
const HANDED_ON_MS = 11_000

/** So far, in this database. */
export interface Counts {
  /** When they were read, in milliseconds of performance.now(). */
  readonly at: number
  readonly commits: number
  /** `begin` and `commit` included; null where PostgreSQL has nothing that counts them. */
  readonly statements: number | null
}

/** Has PostgreSQL load what counts statements when it starts next. It costs nothing before `beginCounting`. */
export async function loadCounter(client: Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_available_extensions where name = $1', [LIBRARY])
  if (rowCount === 0) return
  await client.query(`alter system set shared_preload_libraries = '${LIBRARY}'`)
  await client.query('alter system set compute_query_id = off')
}

/** @returns whether statements are counted from here on */
export async function beginCounting(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ libraries: string }>(
    `select current_setting('shared_preload_libraries') as libraries`,
  )
  if (rows[0]?.libraries !== LIBRARY) return false
  await client.query(`create extension if not exists ${LIBRARY}`)
  await client.query('alter system set compute_query_id = on')
  await client.query('select pg_reload_conf()')
  return true
}

/** Once all that was done before is counted. */
export async function countsOf(client: Client, hasStatements: boolean): Promise<Counts> {
  await wait(HANDED_ON_MS)
  const { rows } = await client.query<{ oid: number; commits: number }>(
    'select datid as oid, xact_commit::float8 as commits from pg_stat_database where datname = current_database()',
  )
  const { oid, commits } = rows[0]!
  const at = performance.now()
  if (!hasStatements) return { at, commits, statements: null }
  const counted = await client.query<{ calls: number }>(
    `select sum(calls)::float8 as calls from ${LIBRARY} where dbid = $1`,
    [oid],
  )
  return { at, commits, statements: counted.rows[0]!.calls }
}

/** So far, of all processes of this PostgreSQL. */
export interface WalCounts {
  readonly bytes: number
  /** Full-page images: the first change of a page after each checkpoint writes one. */
  readonly images: number
  /** Those that have begun. */
  readonly checkpoints: number
}

/** Once all that was done before is counted. */
export async function walCountsOf(client: Client): Promise<WalCounts> {
  await wait(HANDED_ON_MS)
  const { rows } = await client.query<WalCounts>(
    `select wal_bytes::float8 as bytes, wal_fpi::float8 as images, (num_timed + num_requested)::float8 as checkpoints
     from pg_stat_wal, pg_stat_checkpointer`,
  )
  return rows[0]!
}
