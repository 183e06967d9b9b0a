import { type ClientBase, escapeIdentifier, type Pool } from 'pg'
import { PARTITIONED } from './partitions.ts'

const FEWEST = 10_000
const GROWTH = 1.2

const STALE = `
  select p.relname as table from pg_class p
    cross join lateral (
      select sum(greatest(c.reltuples, 0)) as rows from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = p.oid
    ) parts
  where p.relname = any($1) and p.relnamespace = current_schema()::regnamespace
    and parts.rows >= ${FEWEST} and (parts.rows > p.reltuples * ${GROWTH} or parts.rows < p.reltuples / ${GROWTH})`

/** Partitioned tables with old statistics: autovacuum analyzes only their partitions. */
export async function staleTables(db: Pick<Pool, 'query'>): Promise<string[]> {
  const { rows } = await db.query<{ table: string }>(STALE, [PARTITIONED.map(({ table }) => table)])
  return rows.map(({ table }) => table)
}

export async function analyzeTables(client: ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) await client.query(`analyze ${escapeIdentifier(table)}`)
}
