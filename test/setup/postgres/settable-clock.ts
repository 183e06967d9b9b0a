import type { Client } from 'pg'

/** Columns whose default is a time: it was bound to PostgreSQL's own clock when the table was made. */
const TIMED = `
  select format('alter table %I.%I alter column %I set default public.now()', n.nspname, c.relname, a.attname) as sql
  from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'pgboss') and pg_get_expr(d.adbin, d.adrelid) in ('now()', 'CURRENT_TIMESTAMP')`

/**
 * Puts a clock that a test sets in the place of the one of a database: for every connection that is made from now on. The tables have to
 * be there already, those of the queue included.
 */
export async function makeSettable(client: Client): Promise<void> {
  await client.query(`
    create table clock_skew (skew interval not null);
    insert into clock_skew values ('0');
    create function public.now() returns timestamptz language sql stable
      as 'select pg_catalog.transaction_timestamp() + skew from public.clock_skew';
    create function public.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + skew from public.clock_skew'`)
  // The queue has a clock of its own: a function that asks PostgreSQL's.
  await client.query(`create or replace function pgboss.job_now() returns timestamptz language sql stable
    as 'select public.now()'`)
  const { rows } = await client.query<{ sql: string }>(TIMED)
  for (const { sql } of rows) await client.query(sql)
  // Functions of this schema come before PostgreSQL's own of the same name.
  const { rows: names } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
  await client.query(`alter database ${names[0]!.name} set search_path = public, pg_catalog`)
}

/** How far the clock of the database is off, from the next statement on. */
export const setDatabaseClock = (client: Client, offMs: number): Promise<unknown> =>
  client.query(`update clock_skew set skew = $1 * interval '1 millisecond'`, [offMs])
