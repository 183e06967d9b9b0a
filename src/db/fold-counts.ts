import type { Pool } from 'pg'

/** Of the counters, as the trigger job_count_shard has them: these alone are written by many connections, in turn. */
const SHARDS = 16
/** The same as in that trigger. */
const LOCK = 7_242_002

/** A table of counters: its key but for the shard, and its sum. */
interface Counters {
  readonly table: string
  readonly key: readonly string[]
  readonly sum: string
}

/**
 * Adds up what connections have counted alone, because all shards were taken: each leaves rows of its own, which every total would have
 * to read for ever. Waits for no lock: rows that are being written are left for the next time.
 */
export async function foldCounts(db: Pool, { table, key, sum }: Counters): Promise<void> {
  const names = key.join(', ')
  await db.query(
    `with mine as materialized (
       select shard from generate_series(0, ${SHARDS - 1}) shard where pg_try_advisory_xact_lock(${LOCK}, shard) limit 1
     ), alone as materialized (
       select ${names}, shard from ${table}
       where shard >= ${SHARDS} and exists (select from mine) for update skip locked
     ), gone as (
       delete from ${table} c using alone a
       where ${[...key, 'shard'].map((name) => `c.${name} = a.${name}`).join(' and ')}
       returning ${[...key, sum].map((name) => `c.${name}`).join(', ')}
     )
     insert into ${table} as c (${names}, shard, ${sum})
     select ${key.map((name) => `g.${name}`).join(', ')}, mine.shard, sum(g.${sum}) from gone g cross join mine
     group by ${[...key, 'shard'].map((_name, place) => place + 1).join(', ')}
     on conflict (${names}, shard) do update set ${sum} = c.${sum} + excluded.${sum}`,
  )
}
