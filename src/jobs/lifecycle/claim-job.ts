import { JobFailure, statesBefore } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { type EndingParts, endJob } from './end-job.ts'

/** A job that one worker has claimed. Every write about it repeats `attempt`, so that a worker that was replaced writes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  /** Earlier attempts that their workers released: they do not count. */
  readonly releases: number
  readonly inputs: Record<string, unknown>
}

interface Row {
  account_id: string
  endpoint_key: string
  attempt: number
  hand_backs: number
  inputs: Record<string, unknown>
  funded: boolean
}

/**
 * One statement takes the job and its charge, or neither when the balance is too small. A job that was
 * charged for an earlier attempt is not charged again; the unique (job_id, kind) of the ledger holds that even between two workers.
 */
const CLAIM = `
with taken as (
  select id, account_id, endpoint_key, inputs, cost, attempt + 1 as attempt, hand_backs
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
), moved as (
  update job j set attempt = decided.attempt, status = 'processing', started_at = coalesce(j.started_at, greatest(now(), j.created_at))
  from decided where j.id = decided.id and funded
)
select account_id, endpoint_key, attempt, hand_backs, inputs, funded from decided`

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3
const CLAIMABLE = statesBefore('processing')

/** Takes a job for this worker. null: it is finished already, gone, or just failed because it could not be paid. */
export async function claimJob(parts: EndingParts, jobId: string): Promise<Claim | null> {
  const row = await takeRow(parts, jobId)
  if (row === undefined) return null
  const claim = {
    jobId,
    accountId: row.account_id,
    endpointKey: row.endpoint_key,
    attempt: row.attempt,
    releases: row.hand_backs,
    inputs: row.inputs,
  }
  if (row.funded) notifyJob(parts, claim)
  else await failUnpaid(parts, claim)
  return row.funded ? claim : null
}

/** Ends a job that was never charged. The attempt number from before the claim fences it: a worker that took the job meanwhile keeps it. */
async function failUnpaid(parts: EndingParts, { jobId, accountId, attempt }: Claim): Promise<void> {
  const failure = new JobFailure('CHARGE_FAILED', 'the balance was below the cost when a worker took the job')
  await endJob(parts, { jobId, accountId, attempt: attempt - 1, nextAttempt: attempt, failure })
}

/** Of two workers that claim at the same time the second has waited for the first, but does not see its charge yet: it tries again. */
async function takeRow({ db }: EndingParts, jobId: string): Promise<Row | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await db.pool.query<Row>({ name: 'claim_job', text: CLAIM, values: [jobId, CLAIMABLE] })
      return rows[0]
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
}
