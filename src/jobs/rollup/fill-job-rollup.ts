import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { addToRollUp, tryFoldLock } from './fold-job-rollup.ts'

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

interface Filling {
  readonly backlog: 'job_rollup_backlog' | 'job_event_backlog'
  /** As in the function job_backlog or job_event_backlog. */
  readonly lock: number
  readonly pageJobs: number
  /** After the first id, up to the second. */
  add(tx: Tx, page: readonly [string, string]): Promise<unknown>
}

/** The roll-up comes first, because jobs that it lacks are noted nowhere. */
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

interface Backlog {
  readonly filled_to: string
  readonly until: string
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
