import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { tryLock } from '../../db/lock.ts'

/** As in trigger job_count_shard; a connection without a free shard uses its own. */
const SHARDS = 16
/** As in that trigger. */
const SHARD_LOCK = 7_242_002
const FOLD_LOCK = 7_242_004

const DIMENSIONS = 'type, status, decision, endpoint_key, api_key_id, error_code'
const OF_SHARD = 'delete from job_rollup_delta where shard = $1 returning *'
const OF_LONE_SHARDS = `delete from job_rollup_delta d using (
  select ctid from job_rollup_delta where shard >= $1 for update skip locked) free where d.ctid = free.ctid returning d.*`
const DELETE_EMPTY = `delete from job_rollup
  where jobs = 0 and credits = 0 and characters = 0 and audio_ms = 0 and wait = '{}' and run = '{}'`

export const addToRollUp = (rows: string): string => `
  with added as (${rows})
  insert into job_rollup as r (account_id, span, at, ${DIMENSIONS}, jobs, credits, characters, audio_ms, wait, run)
  select account_id, s.span, s.at, ${DIMENSIONS}, sum(jobs), sum(credits), sum(characters), sum(audio_ms),
    ${histogramOf('wait_bucket')}, ${histogramOf('run_bucket')}
  from added cross join lateral (values ('hour'::job_rollup_span, added.at), ('day', date_trunc('day', added.at, 'UTC')),
    ('all', to_timestamp(0))) s (span, at)
  group by account_id, s.span, s.at, ${DIMENSIONS}
  on conflict (account_id, span, at, ${DIMENSIONS}) do update set jobs = r.jobs + excluded.jobs,
    credits = r.credits + excluded.credits, characters = r.characters + excluded.characters,
    audio_ms = r.audio_ms + excluded.audio_ms, wait = ${mergedInto('wait')}, run = ${mergedInto('run')}`

/** Folds noted changes into the roll-up, one process at a time. It skips shards in use. */
export async function foldJobRollUp(db: Database): Promise<void> {
  for (let shard = 0; shard <= SHARDS; shard++) {
    await inTransaction(db, async (tx) => {
      if (await tryFoldLock(tx)) await foldShard(tx, shard)
    })
  }
}

export const tryFoldLock = (tx: Tx): Promise<boolean> => tryLock(tx, FOLD_LOCK)

async function foldShard(tx: Tx, shard: number): Promise<void> {
  if (shard < SHARDS) {
    const text = 'select pg_try_advisory_xact_lock($1::integer, $2::integer) as locked'
    const { rows } = await tx.query<{ locked: boolean }>(text, [SHARD_LOCK, shard])
    if (rows[0]?.locked !== true) return
  }
  const { rowCount } = await tx.query(addToRollUp(shard < SHARDS ? OF_SHARD : OF_LONE_SHARDS), [shard])
  if (rowCount !== 0) await tx.query(DELETE_EMPTY)
}

function histogramOf(bucket: string): string {
  return `job_histogram(coalesce(array_agg((${bucket}::bigint << 40) + jobs) filter (where ${bucket} is not null), '{}'))`
}

function mergedInto(column: string): string {
  return `case when excluded.${column} = '{}' then r.${column} else job_histogram(r.${column} || excluded.${column}) end`
}
