import { dealOut } from '../../concurrency/batch-calls.ts'
import { BATCH_WAIT, limitingLockWaits } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import type { RowClaim } from '../../queue/job-source.ts'
import type { JobOptions } from '../job-options.ts'
import { type JobType, statesBefore } from '../job-states.ts'
import { STARTED_AT } from '../job-times.ts'

export interface ClaimedRow {
  readonly id: string
  readonly account_id: string
  readonly type: JobType
  readonly endpoint_key: string
  readonly attempt: number
  readonly hand_backs: number
  readonly inputs: Record<string, unknown>
  readonly options: JobOptions | null
  readonly lexicon: number | null
  /** False if the balance does not cover the account's jobs of this batch. */
  readonly funded: boolean
  readonly delivers: boolean
  /** Credits. */
  readonly charged: number
  /** Seconds; null unless this is the first start. */
  readonly waited: number | null
}

interface ClaimText {
  readonly ids: string
  readonly states: `$${number}`
  readonly locks: string
  readonly held: string
}

/** An account pays for all of its jobs in the batch or for none. The ledger's unique (job_id, kind) prevents a second charge. Jobs and accounts are locked in the order of their ids, so batches cannot deadlock. `no key update` does not block submissions, whose foreign key locks the account. */
const claiming = ({ ids, states, locks, held }: ClaimText): string => `
taken as materialized (
  select id, account_id, type, endpoint_key, inputs, options, cost, attempt + 1 as attempt, hand_backs, webhook_url,
    created_at as made_at, started_at as begun_at
  from job where id = any(${ids}) and status = any(${states}::job_status[]) ${locks}
), owed as materialized (
  select id, account_id, cost from taken
  where cost > 0 and not exists (select from credit_entry e where e.job_id = taken.id and e.kind = 'charge')
), due as (
  select account_id, sum(cost) as cost from owed group by account_id
), purse as materialized (
  select id from account where id in (select account_id from due) order by id for no key update ${held}
), paid as (
  update account a set credits = a.credits - due.cost from due join purse on purse.id = due.account_id
  where a.id = purse.id and a.credits >= due.cost
  returning a.id
), entered as (
  insert into credit_entry (account_id, kind, amount, job_id)
  select account_id, 'charge', -cost, id from owed where account_id in (select id from paid)
), decided as (
  select *, id not in (select id from owed) or account_id in (select id from paid) as funded from taken
), moved as (
  update job j set attempt = decided.attempt, parts_done = null, status = 'processing', started_at = coalesce(j.started_at, ${STARTED_AT})
  from decided where j.id = any(${ids}) and j.id = decided.id and funded
), outcome as (
  select d.id, d.account_id, d.type, d.endpoint_key, d.attempt, d.hand_backs, d.inputs, d.options, d.funded, l.revision as lexicon,
    coalesce(d.webhook_url, a.webhook_url) is not null as delivers,
    case when d.funded then coalesce((select o.cost from owed o where o.id = d.id), 0) else 0 end::float8 as charged,
    case when d.begun_at is null then extract(epoch from greatest(now(), d.made_at) - d.made_at)::float8 end as waited
  from decided d join account a on a.id = d.account_id left join lexicon l on l.account_id = d.account_id
)`

const CLAIMABLE = statesBefore('processing')
const WAITING = { locks: `and ${limitingLockWaits('$3')} order by id for update`, held: '' }
const CLAIM = `with ${claiming({ ids: '$1::text[]', states: '$2', ...WAITING })} select * from outcome`

/**
 * Claims unfinished, funded jobs. A job is undefined if it has ended or another call of the batch claimed it.
 * @param lockWait longest wait for a lock
 */
export async function claimJobs(
  db: Database,
  ids: readonly string[],
  lockWait = BATCH_WAIT,
): Promise<(ClaimedRow | undefined)[]> {
  const values = [ids, CLAIMABLE, lockWait]
  const { rows } = await db.pool.query<ClaimedRow>({ name: 'claim_jobs', text: CLAIM, values })
  return dealOut(ids, new Map(rows.map((row) => [row.id, row])))
}

const UNLOCKED = { locks: 'order by id for update skip locked', held: 'skip locked' }

export const jobRowClaim: RowClaim = {
  expressions: (ids, states) =>
    `${claiming({ ids, states, ...UNLOCKED })}, claimed as (select * from outcome where funded)`,
  value: CLAIMABLE,
}
