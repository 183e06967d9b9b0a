import type { Parts } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { CALLBACK_URL, freezeDelivery } from '../../webhooks/delivery/create-delivery.ts'
import { statesBefore } from '../job-states.ts'
import { ENDED_AT } from '../job-times.ts'
import { tellJob } from '../live/notify-job.ts'

/** A job in the hands of one worker. Every write about it repeats `attempt`, so that a worker that was given up writes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  /** Earlier attempts that were given back on purpose. */
  readonly handBacks: number
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
 * One statement takes the job and its charge, or neither when the balance is too small (contract.md section 5). A job that was
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

/** Repeats the attempt number from before the claim: a worker that took the job meanwhile keeps it. */
const FAIL_UNPAID = `
update job set attempt = attempt + 1, status = 'failed', completed_at = ${ENDED_AT}, error_code = 'CHARGE_FAILED',
  cause = 'the balance was below the cost when a worker took the job'
where id = $1 and attempt = $2 - 1 and status = any($3::job_status[])
returning ${CALLBACK_URL}`

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3
const CLAIMABLE = statesBefore('processing')
const FAILABLE = statesBefore('failed')

/** Takes a job for this worker. null: it is finished already, gone, or just failed because it could not be paid. */
export async function claimJob(parts: Parts, jobId: string): Promise<Claim | null> {
  const row = await takeRow(parts, jobId)
  if (row === undefined) return null
  const claim = {
    jobId,
    accountId: row.account_id,
    endpointKey: row.endpoint_key,
    attempt: row.attempt,
    handBacks: row.hand_backs,
    inputs: row.inputs,
  }
  if (!row.funded) await failUnpaid(parts, claim)
  tellJob(parts, claim)
  return row.funded ? claim : null
}

/** Ends a job that was never charged, and freezes its callback with it. */
async function failUnpaid(parts: Parts, claim: Claim): Promise<void> {
  const frozen = await inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ callback_url: string | null }>(FAIL_UNPAID, [
      claim.jobId,
      claim.attempt,
      FAILABLE,
    ])
    const url = rows[0]?.callback_url ?? null
    if (url !== null) await freezeDelivery(parts, tx, { ...claim, kind: 'job' }, url)
    return url !== null
  })
  if (frozen) parts.queue.wake(WEBHOOK_KIND)
}

/** Of two workers that claim at the same moment the second has waited for the first, but does not see its charge yet: it looks again. */
async function takeRow({ db }: Parts, jobId: string): Promise<Row | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { rows } = await db.pool.query<Row>({ name: 'claim_job', text: CLAIM, values: [jobId, CLAIMABLE] })
      return rows[0]
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
}
