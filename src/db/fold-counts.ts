import type { Pool } from 'pg'

/** As in the trigger `job_count_shard`. */
const SHARDS = 16
/** As in the trigger `job_count_shard`. */
const LOCK = 7_242_002

interface Counters {
  readonly table: string
  readonly key: readonly string[]
  readonly sum: string
}

/** Merges counter rows beyond the shards. It waits for no lock; the next call merges locked rows. */
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
