import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { addToRollUp, tryFoldLock } from './fold-job-rollup.ts'

/** The same as in the function job_backlog: jobs of the backlog do not change while it is held. */
const BACKLOG_LOCK = 7_242_003
const PAGE_JOBS = 5_000
/** For so long in one go: maintenance comes again. */
const BUDGET_MS = 30_000

const PAGE = `
  select account_id, date_trunc('hour', created_at, 'UTC') as at, type, status, job_decision_of(is_prohibited) as decision,
    endpoint_key, api_key_id, error_code, job_bucket(started_at - created_at) as wait_bucket,
    job_bucket(completed_at - started_at) as run_bucket, 1::bigint as jobs, job_credits(status, cost) as credits,
    job_characters(type, inputs) as characters,
    coalesce((select sum(a.duration_ms) from artifact a where a.job_id = job.id), 0) as audio_ms
  from job where id > $1 and id <= $2`

interface Backlog {
  readonly filled_to: string
  readonly until: string
}

/**
 * Adds jobs from before there was a roll-up to it, page by page in the order of their ids; whatever is broken off goes on from the last
 * page. New jobs never wait for it, and unfinished old ones as long as a page takes. Returns whether all are in.
 */
export async function fillJobRollUp(db: Database, budgetMs = BUDGET_MS): Promise<boolean> {
  const started = performance.now()
  for (;;) {
    const { rowCount } = await db.pool.query('select from job_rollup_backlog')
    if (rowCount === 0) return true
    const isMine = await inTransaction(db, fillPage)
    if (!isMine || performance.now() - started > budgetMs) return false
  }
}

/** Returns false where another process is at it. */
async function fillPage(tx: Tx): Promise<boolean> {
  if (!(await tryFoldLock(tx))) return false
  await tx.query('select pg_advisory_xact_lock($1)', [BACKLOG_LOCK])
  const { rows } = await tx.query<Backlog>('select filled_to, until from job_rollup_backlog')
  const [backlog] = rows
  if (backlog === undefined) return true
  const end = await endOfPage(tx, backlog)
  await tx.query(addToRollUp(PAGE), [backlog.filled_to, end])
  if (end === backlog.until) await tx.query('delete from job_rollup_backlog')
  else await tx.query('update job_rollup_backlog set filled_to = $1', [end])
  return true
}

async function endOfPage(tx: Tx, { filled_to, until }: Backlog): Promise<string> {
  const text = `select id from job where id > $1 and id <= $2 order by id limit 1 offset ${PAGE_JOBS - 1}`
  const { rows } = await tx.query<{ id: string }>(text, [filled_to, until])
  return rows[0]?.id ?? until
}
