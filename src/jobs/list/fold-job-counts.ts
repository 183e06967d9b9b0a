import type { Pool } from 'pg'

/** Of the counters, as the trigger job_count_shard has them: these alone are written by many connections, in turn. */
const SHARDS = 16
/** The same as in that trigger. */
const LOCK = 7_242_002

/**
 * Adds up what connections have counted alone, because all shards were taken: each leaves rows of its own, which every total would have
 * to read for ever. Waits for no lock: rows that are being written are left for the next time.
 */
export async function foldJobCounts(db: Pool): Promise<void> {
  await db.query(
    `with mine as materialized (
       select shard from generate_series(0, ${SHARDS - 1}) shard where pg_try_advisory_xact_lock(${LOCK}, shard) limit 1
     ), alone as materialized (
       select account_id, type, status, decision, shard from job_count
       where shard >= ${SHARDS} and exists (select from mine) for update skip locked
     ), gone as (
       delete from job_count c using alone a
       where c.account_id = a.account_id and c.type = a.type and c.status = a.status and c.decision = a.decision and c.shard = a.shard
       returning c.account_id, c.type, c.status, c.decision, c.jobs
     )
     insert into job_count as c (account_id, type, status, decision, shard, jobs)
     select g.account_id, g.type, g.status, g.decision, mine.shard, sum(g.jobs) from gone g cross join mine group by 1, 2, 3, 4, 5
     on conflict (account_id, type, status, decision, shard) do update set jobs = c.jobs + excluded.jobs`,
  )
}
