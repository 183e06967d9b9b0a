import type { JobType } from '../../catalog/job-kinds.ts'
import { poolOfJob } from '../../catalog/job-kinds.ts'
import { BatchedCalls, takeRows } from '../../concurrency/batch-calls.ts'
import type { Parts } from '../../context/context.ts'
import { BATCH_WAIT, limitingLockWaits, outwaitLocks } from '../../db/connections/lock-wait.ts'
import type { Database } from '../../db/database.ts'
import type { ClaimedWith, RowClaim } from '../../queue/job-source.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { type JobOptions, STARTED_AT } from '../job-shape.ts'
import { JobFailure, statesBefore } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { completeJobs, endJob } from './end-job.ts'
import type { Completion, EndedJob, EndingParts } from './job-end.ts'

const UNIQUE_VIOLATION = '23505'
const CLAIM_ATTEMPTS = 3
const MAX_JOBS = 32

/** A job that waits longer for its locks goes alone. */
const HELD_UP = { longestWaitMs: 250 }
/** An unanswered claim counts as owned: no worker can exceed this attempt. */
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
  readonly delivers: boolean
}

export interface ClaimParts extends BatchParts {
  /** Null: another delivery has the job. Absent: `claimJob` claims its row. */
  readonly claimed?: ClaimedWith | null
}

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

export interface JobBatches {
  /** @throws the error of any job in the batch */
  readonly completions: BatchedCalls<Completion, EndedJob | null>
}

export interface BatchParts extends EndingParts {
  readonly batches: JobBatches
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
    releases: row.hand_backs,
    inputs: row.inputs,
    options: row.options ?? {},
    lexicon: row.lexicon,
    delivers: row.delivers,
  }
  if (row.funded) noteClaim(parts, row)
  if (row.funded) notifyJob(parts, claim)
  else await failUnpaid(parts, claim)
  return row.funded ? claim : null
}

/** The fence is the attempt before the claim, so another worker's claim survives. */
async function failUnpaid(parts: EndingParts, { jobId, accountId, attempt }: Claim): Promise<void> {
  const failure = new JobFailure('CHARGE_FAILED', 'the balance was below the cost when a worker took the job')
  await endJob(parts, { jobId, accountId, attempt: attempt - 1, nextAttempt: attempt, failure })
}

/** A statement that waited for a lock does not see the other worker's charge. A new statement must confirm its refusal. */
async function takeRow(db: Database, jobId: string): Promise<ClaimedRow | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const row = await outwaitLocks(db, jobId, async (longest) => (await claimJobs(db, [jobId], longest))[0])
      if (row === undefined || row.funded || attempt > 1) return row
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION || attempt === CLAIM_ATTEMPTS) throw error
    }
  }
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
async function claimJobs(
  db: Database,
  ids: readonly string[],
  lockWait = BATCH_WAIT,
): Promise<(ClaimedRow | undefined)[]> {
  const values = [ids, CLAIMABLE, lockWait]
  const { rows } = await db.pool.query<ClaimedRow>({ name: 'claim_jobs', text: CLAIM, values })
  return takeRows(ids, new Map(rows.map((row) => [row.id, row])))
}

const UNLOCKED = { locks: 'order by id for update skip locked', held: 'skip locked' }

export const jobRowClaim: RowClaim = {
  expressions: (ids, states) =>
    `${claiming({ ids, states, ...UNLOCKED })}, claimed as (select * from outcome where funded)`,
  value: CLAIMABLE,
}

export const openJobBatches = ({ db, now }: Pick<Parts, 'db' | 'now'>): JobBatches => ({
  completions: new BatchedCalls(MAX_JOBS, (done: readonly Completion[]) => completeJobs(db, done, now()), HELD_UP),
})

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
