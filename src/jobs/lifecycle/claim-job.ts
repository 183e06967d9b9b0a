import { type JobType, poolOfJob } from '../../catalog/job-kinds.ts'
import type { Parts } from '../../context/context.ts'
import { limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import type { ClaimedWith, RowClaim } from '../../queue/job-source.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { type JobOptions, STARTED_AT } from '../job-shape.ts'
import { JobFailure, statesBefore } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { type EndingParts, endJob } from './end-jobs.ts'

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3
/** The attempt of a claim whose answer has not come: no other worker's attempt is higher, so the job counts as this worker's. */
const NOT_YET_CLAIMED = 2 ** 31 - 1
const LOST = `
  select j.id from unnest($1::text[], $2::integer[]) as claimed(id, attempt) join job j on j.id = claimed.id
  where j.status not in ('queued', 'processing') or j.attempt > claimed.attempt`

/** A job that one worker has claimed. Every write repeats `attempt`, so a replaced worker changes nothing. */
export interface Claim {
  readonly jobId: string
  readonly accountId: string
  readonly endpointKey: string
  readonly attempt: number
  /** Attempts that workers released, which do not count. */
  readonly releases: number
  readonly inputs: Record<string, unknown>
  readonly options: JobOptions
  /** A revision; null if the account has no lexicon. */
  readonly lexicon: number | null
}

export interface ClaimParts extends EndingParts {
  /** Null: another delivery has the job. Absent: `claimJob` claims its row. */
  readonly claimed?: ClaimedWith | null
}

export interface ClaimedRow {
  readonly id: string
  readonly account_id: string
  readonly type: JobType
  readonly endpoint_key: string
  readonly attempt: number
  readonly releases: number
  readonly inputs: Record<string, unknown>
  readonly options: JobOptions | null
  readonly lexicon: number | null
  /** False if the balance does not cover the account's jobs of this batch. */
  readonly funded: boolean
  /** Credits. */
  readonly charged: number
  /** Seconds; null unless this is the first start. */
  readonly waited: number | null
}

/** Claims of this process. A notification may be lost, so it asks the database. */
export interface ClaimRegistry {
  taking<Taken extends NotedClaim | null>(jobId: string, claim: Promise<Taken>): Promise<Taken>
  forget(claim: NotedClaim): void
  stillOwned(jobIds: readonly string[]): Promise<ReadonlySet<string>>
}

type NotedClaim = Pick<Claim, 'jobId' | 'attempt'>

/** Claims a job. Returns null if it has ended, is gone, or just failed for lack of credit. */
export async function claimJob(parts: ClaimParts, jobId: string): Promise<Claim | null> {
  const row =
    parts.claimed === undefined ? await takeRow(parts.db, jobId) : (parts.claimed?.row as ClaimedRow | undefined)
  if (row === undefined) return null
  const claim = {
    jobId,
    accountId: row.account_id,
    endpointKey: row.endpoint_key,
    attempt: row.attempt,
    releases: row.releases,
    inputs: row.inputs,
    options: row.options ?? {},
    lexicon: row.lexicon,
  }
  if (row.funded) noteClaim(parts, row)
  if (row.funded) notifyJob(parts, claim)
  else await failUnpaid(parts, claim)
  return row.funded ? claim : null
}

/** It repeats the attempt from before the claim, so it changes nothing if another worker has claimed the job meanwhile. */
async function failUnpaid(parts: EndingParts, { jobId, accountId, attempt }: Claim): Promise<void> {
  const failure = new JobFailure('CHARGE_FAILED', 'the balance was below the cost when a worker took the job')
  await endJob(parts, { jobId, accountId, attempt: attempt - 1, nextAttempt: attempt, failure })
}

/** A statement that waited for a lock does not see the other worker's charge. A new statement must confirm its refusal. */
async function takeRow(db: Database, jobId: string): Promise<ClaimedRow | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const row = await outwaitLocks(db, jobId, (longest) => claimAlone(db, jobId, longest))
      if (row === undefined || row.funded || attempt > 1) return row
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
}

const CLAIMABLE = statesBefore('processing')
  .map((state) => `'${state}'`)
  .join(', ')

/**
 * An account pays for all of its jobs in the batch or for none. A job whose text is still written (it has `pieces`) is charged at its
 * end, and until then its cost is held, unless a worker that knows no such jobs has begun it, which charged it. The ledger's unique (job_id, kind) prevents a second charge. Jobs and
 * accounts are locked in the order of their ids, so batches cannot deadlock. `no key update` does not block submissions, whose foreign
 * key locks the account.
 * @param longestLockWait absent: leaves locked jobs and jobs of locked accounts
 */
const claiming = (ids: string, longestLockWait?: `$${number}`): string => `
taken as materialized (
  select id, account_id, type, endpoint_key, api_key_id, inputs, options, options ? 'pieces' as is_open, held, cost, attempt + 1 as attempt, hand_backs as releases,
    created_at as made_at, started_at as begun_at
  from job where id = any(${ids}) and status in (${CLAIMABLE}) and ${longestLockWait === undefined ? 'true' : limitingLockWaits(longestLockWait)}
  order by id for update ${longestLockWait === undefined ? 'skip locked' : ''}
), unpaid as materialized (
  select id, account_id, cost, coalesce(is_open, false) as is_open, api_key_id, endpoint_key from taken
  where cost > 0 and held is null and (begun_at is null or not coalesce(is_open, false)) and not exists (select from credit_entry e where e.job_id = taken.id and e.kind = 'charge')
), total as (
  select account_id, sum(cost) as cost, coalesce(sum(cost) filter (where is_open), 0) as held from unpaid group by account_id
), payer as materialized (
  select id from account where id in (select account_id from total) order by id
  for no key update ${longestLockWait === undefined ? 'skip locked' : ''}
), paid as (
  update account a set credits = a.credits - total.cost + total.held, held = a.held + total.held
  from total join payer on payer.id = total.account_id
  where a.id = payer.id and a.credits - a.held >= total.cost
  returning a.id
), entered as (
  insert into credit_entry (account_id, kind, amount, job_id, api_key_id, endpoint_key)
  select account_id, 'charge', -cost, id, api_key_id, endpoint_key from unpaid where not is_open and account_id in (select id from paid)
), decided as (
  select *, id not in (select id from unpaid) or account_id in (select id from paid) as funded from taken
), moved as (
  update job j set attempt = decided.attempt, parts_done = null, status = 'processing', started_at = coalesce(j.started_at, ${STARTED_AT}),
    held = case when decided.is_open and (decided.begun_at is null or decided.held is not null) then decided.cost end
  from decided where j.id = any(${ids}) and j.id = decided.id and funded
), outcome as (
  select d.id, d.account_id, d.type, d.endpoint_key, d.attempt, d.releases, d.inputs, d.options, d.funded, l.revision as lexicon,
    case when d.funded then coalesce((select u.cost from unpaid u where u.id = d.id and not u.is_open), 0) else 0 end::float8 as charged,
    case when d.begun_at is null then extract(epoch from greatest(now(), d.made_at) - d.made_at)::float8 end as waited
  from decided d left join lexicon l on l.account_id = d.account_id
)`

const CLAIM = `with ${claiming('array[$1::text]', '$2')} select * from outcome`

/** @returns undefined if the job has ended */
async function claimAlone(db: Database, jobId: string, longestLockWait: string): Promise<ClaimedRow | undefined> {
  const claim = { name: 'claim_jobs', text: CLAIM, values: [jobId, longestLockWait] }
  const { rows } = await db.pool.query<ClaimedRow>(claim)
  return rows[0]
}

export const jobRowClaim: RowClaim = (ids) => `${claiming(ids)}, claimed as (select * from outcome where funded)`

/** Called after the commit. */
function noteClaim(
  { telemetry, catalog }: Pick<Parts, 'catalog'> & MeasuredParts,
  { type, endpoint_key: key, charged, waited }: ClaimedRow,
): void {
  if (!telemetry.measures) return
  const pool = poolOfJob(catalog, key)
  telemetry.count('jobs_claimed_total', { pool })
  if (charged > 0) telemetry.count('credits_total', { kind: 'charge' }, charged)
  if (waited !== null) telemetry.observe('job_wait_seconds', { type, pool }, waited)
}

export function openClaimRegistry(db: Database): ClaimRegistry {
  const attempts = new Map<string, number>()
  const underWay = new Map<string, number>()
  const attemptOf = (jobId: string) => (underWay.has(jobId) ? undefined : attempts.get(jobId)) ?? NOT_YET_CLAIMED
  return {
    taking: async (jobId, claim) => {
      underWay.set(jobId, (underWay.get(jobId) ?? 0) + 1)
      try {
        const taken = await claim
        if (taken !== null) attempts.set(jobId, taken.attempt)
        return taken
      } finally {
        const others = underWay.get(jobId)! - 1
        if (others === 0) underWay.delete(jobId)
        else underWay.set(jobId, others)
      }
    },
    forget: ({ jobId, attempt }) => {
      if (attempts.get(jobId) === attempt) attempts.delete(jobId)
    },
    stillOwned: async (jobIds) => {
      const known = jobIds.map(attemptOf)
      const { rows } = await db.pool.query<{ id: string }>({ name: 'lost_claims', text: LOST, values: [jobIds, known] })
      const lost = new Set(rows.map(({ id }) => id))
      return new Set(jobIds.filter((jobId) => !lost.has(jobId)))
    },
  }
}
