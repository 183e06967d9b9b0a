import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { tryLock } from '../../db/lock.ts'

/** The number of shards in trigger job_count_shard. A connection that finds none free writes to a shard of its own. */
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

const BUDGET_MS = 30_000

const JOBS_OF_PAGE = 'from job where id > $1 and id <= $2'
const COLUMNS = `account_id, date_trunc('hour', created_at, 'UTC') as at, type, status, job_decision_of(is_prohibited) as decision,
  endpoint_key, api_key_id, error_code, job_bucket(started_at - created_at) as wait_bucket,
  job_bucket(completed_at - started_at) as run_bucket`
const AUDIO_MS = 'coalesce((select sum(a.duration_ms) from artifact a where a.job_id = job.id), 0)'
const SUMS = `1::bigint as jobs, job_credits(status, cost) as credits, job_characters(type, inputs) as characters, ${AUDIO_MS} as audio_ms`
const PAGE = `select ${COLUMNS}, ${SUMS} ${JOBS_OF_PAGE}`

const FILL_SHARD = -1
/** The trigger `count_events` adds deleted rows to the events. */
const NOTE_PAGE = `
  insert into job_rollup_delta (account_id, at, type, status, decision, endpoint_key, api_key_id, error_code, wait_bucket, run_bucket,
    started, ended, shard, in_events, jobs, credits, characters, audio_ms)
  select account_id, at, type, status, decision, endpoint_key, api_key_id, error_code, wait_bucket, run_bucket, started, ended,
    ${FILL_SHARD}, true, sum(jobs), sum(credits), sum(characters), sum(audio_ms)
  from (select ${COLUMNS}, date_trunc('hour', started_at, 'UTC') as started, date_trunc('hour', completed_at, 'UTC') as ended,
    ${SUMS} ${JOBS_OF_PAGE}) page
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`

/** The roll-up is filled first: no other table says which jobs it lacks. */
const FILLINGS: readonly Filling[] = [
  {
    backlog: 'job_rollup_backlog',
    lock: 7_242_003,
    pageJobs: 5_000,
    add: (tx, page) => tx.query(addToRollUp(PAGE), [...page]),
  },
  {
    backlog: 'job_event_backlog',
    lock: 7_242_005,
    pageJobs: 2_000,
    add: async (tx, page) => {
      await tx.query(NOTE_PAGE, [...page])
      await tx.query('delete from job_rollup_delta where shard = $1', [FILL_SHARD])
    },
  },
]

interface Filling {
  readonly backlog: 'job_rollup_backlog' | 'job_event_backlog'
  /** As in the function job_backlog or job_event_backlog. */
  readonly lock: number
  readonly pageJobs: number
  /** After the first id, up to the second. */
  add(tx: Tx, page: readonly [string, string]): Promise<unknown>
}

interface Backlog {
  readonly filled_to: string
  readonly until: string
}

const addToRollUp = (rows: string): string => `
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

const tryFoldLock = (tx: Tx): Promise<boolean> => tryLock(tx, FOLD_LOCK)

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

/**
 * Adds older jobs to the roll-up and events. An interrupted run continues after the last page.
 * @returns whether all jobs are in
 */
export async function fillJobRollUp(db: Database, budgetMs = BUDGET_MS): Promise<boolean> {
  const until = performance.now() + budgetMs
  for (const filling of FILLINGS) if (!(await fill(db, filling, until))) return false
  return true
}

async function fill(db: Database, filling: Filling, until: number): Promise<boolean> {
  for (;;) {
    const { rowCount } = await db.pool.query(`select from ${filling.backlog}`)
    if (rowCount === 0) return true
    const isMine = await inTransaction(db, (tx) => fillPage(tx, filling))
    if (!isMine || performance.now() > until) return false
  }
}

async function fillPage(tx: Tx, { backlog: table, lock, pageJobs, add }: Filling): Promise<boolean> {
  if (!(await tryFoldLock(tx))) return false
  await tx.query('select pg_advisory_xact_lock($1)', [lock])
  const { rows } = await tx.query<Backlog>(`select filled_to, until from ${table}`)
  const [backlog] = rows
  if (backlog === undefined) return true
  const end = await endOfPage(tx, backlog, pageJobs)
  await add(tx, [backlog.filled_to, end])
  if (end === backlog.until) await tx.query(`delete from ${table}`)
  else await tx.query(`update ${table} set filled_to = $1`, [end])
  return true
}

async function endOfPage(tx: Tx, { filled_to, until }: Backlog, pageJobs: number): Promise<string> {
  const text = `select id from job where id > $1 and id <= $2 order by id limit 1 offset ${pageJobs - 1}`
  const { rows } = await tx.query<{ id: string }>(text, [filled_to, until])
  return rows[0]?.id ?? until
}
