import type { Database } from '../db/database.ts'
import { statesBefore } from './job.ts'

/** A job in the hands of one worker. Every write about it repeats `attempt`, so that a worker that was given up writes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  readonly inputs: Record<string, unknown>
}

interface Row {
  account_id: string
  endpoint_key: string
  attempt: number
  inputs: Record<string, unknown>
  status: 'processing' | 'failed'
}

/**
 * One statement takes the job and its charge, or fails it when the balance is too small (contract.md section 5). A job that was
 * charged for an earlier attempt is not charged again; the unique (job_id, kind) of the ledger holds that even between two workers.
 */
const CLAIM = `
with taken as (
  select id, account_id, endpoint_key, inputs, cost, attempt + 1 as attempt
  from job where id = $1 and status = any($2::job_status[]) for update
), owed as (
  select * from taken
  where cost > 0 and not exists (select from credit_entry e where e.job_id = taken.id and e.kind = 'charge')
), paid as (
  update account a set credits = a.credits - owed.cost from owed
  where a.id = owed.account_id and a.credits >= owed.cost
  returning owed.id, owed.account_id, owed.cost
), entered as (
  insert into credit_entry (account_id, kind, amount, job_id)
  select account_id, 'charge', -cost, id from paid
), decided as (
  select taken.*, not exists (select from owed) or exists (select from paid) as funded from taken
)
update job j set
  attempt = decided.attempt,
  status = case when funded then 'processing'::job_status else 'failed'::job_status end,
  started_at = case when funded then coalesce(j.started_at, now()) end,
  completed_at = case when funded then null else now() end,
  error_code = case when funded then null else 'CHARGE_FAILED' end,
  cause = case when funded then null else 'the balance was below the cost when a worker took the job' end
from decided where j.id = decided.id
returning j.account_id, j.endpoint_key, j.attempt, j.inputs, j.status`

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3
const CLAIMABLE = statesBefore('processing')

/** Takes a job for this worker. null: it is finished already, gone, or just failed because it could not be paid. */
export async function claimJob(db: Database, jobId: string): Promise<Claim | null> {
  const row = await takeRow(db, jobId)
  if (row === undefined || row.status === 'failed') return null
  return { jobId, accountId: row.account_id, endpointKey: row.endpoint_key, attempt: row.attempt, inputs: row.inputs }
}

/** Of two workers that claim at the same moment the second has waited for the first, but does not see its charge yet: it looks again. */
async function takeRow(db: Database, jobId: string): Promise<Row | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await db.pool.query<Row>({ name: 'claim_job', text: CLAIM, values: [jobId, CLAIMABLE] })
      return rows[0]
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
}
