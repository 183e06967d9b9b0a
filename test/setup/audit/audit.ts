import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import type { Received } from '../servers/receiver.ts'
import { readWav } from '../speech/wav.ts'
import { type AtRest, auditAtRest } from './at-rest.ts'
import { auditColumns } from './audit-columns.ts'
import { auditCallbacks, auditDoors, auditLogs, type Door } from './evidence.ts'

/** Each statement lists what must not be there, and what no constraint of the database rules out. */
export const VIOLATIONS: Readonly<Record<string, string>> = {
  'a balance is not the sum of its ledger': `
    select a.id, a.credits, coalesce(sum(e.amount), 0) as ledger from account a left join credit_entry e on e.account_id = a.id
    group by a.id having a.credits <> coalesce(sum(e.amount), 0)`,
  'an account holds other credits than its unfinished jobs do': `
    select a.id, a.held from account a left join job j on j.account_id = a.id and j.held is not null
    group by a.id having a.held <> coalesce(sum(j.held), 0)`,
  'a job that has ended holds credits, or one holds another amount than its cost': `
    select id from job where held is not null and (status <> 'processing' or held <> cost)`,
  'a job is charged another amount than its cost': `
    select j.id from job j join credit_entry e on e.job_id = j.id and e.kind = 'charge' where e.amount <> -j.cost or e.account_id <> j.account_id`,
  'a completed job is not charged': `
    select id from job j where type = 'voice' and status = 'completed' and cost > 0
      and not exists (select from credit_entry e where e.job_id = j.id and e.kind = 'charge')`,
  'a failed job keeps its charge': `
    select id from job j where status = 'failed'
      and (select coalesce(sum(amount), 0) from credit_entry e where e.job_id = j.id) <> 0`,
  'a job that is not failed is refunded': `
    select e.job_id from credit_entry e join job j on j.id = e.job_id where e.kind = 'refund' and j.status <> 'failed'`,
  'a job that could not be charged is charged': `
    select j.id from job j join credit_entry e on e.job_id = j.id where j.error_code = 'CHARGE_FAILED'`,
  'a completed job has no artifact': `
    select id from job j where type = 'voice' and status = 'completed' and not exists (select from artifact a where a.job_id = j.id)`,
  'an unfinished or failed job has an artifact': `
    select j.id from job j join artifact a on a.job_id = j.id where j.status <> 'completed'`,
  'the kept count of jobs is wrong': `
    select account_id, type, status from job_count group by account_id, type, status
    having sum(jobs) <> (select count(*) from job j
      where j.account_id = job_count.account_id and j.type = job_count.type and j.status = job_count.status)`,
  'the kept count of deliveries is wrong': `
    select account_id, state from webhook_delivery_count group by account_id, state
    having sum(deliveries) <> (select count(*) from webhook_delivery d
      where d.account_id = webhook_delivery_count.account_id and d.state = webhook_delivery_count.state)`,
  'a finished job did not create the one delivery that it was asked for': `
    select j.id from job j where j.webhook_url is not null and j.status in ('completed', 'failed')
      and (select count(*) from webhook_delivery d where d.job_id = j.id and d.kind = 'job') <> 1`,
  'a job has a delivery too many': `
    select d.job_id from webhook_delivery d left join job j on j.id = d.job_id where d.kind = 'job'
    group by d.job_id having count(*) > 1 or bool_or(j.status in ('queued', 'processing'))`,
  'a delivery was attempted more often than four times, or attempts are not numbered': `
    select delivery_id, round from webhook_attempt group by delivery_id, round
    having count(*) > 4 or max(number) <> count(*) or min(number) <> 1`,
  'a delivery was attempted after its end': `
    select a.delivery_id, a.number from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id and d.round = a.round
    where a.started_at > d.finished_at`,
  'an attempt began too late for a verifier': `
    select a.delivery_id, a.number from webhook_attempt a join webhook_delivery d on d.id = a.delivery_id and d.round = a.round
    where extract(epoch from a.started_at) > d.timestamp + 300`,
  'more jobs of an account or a key are in status processing than its limit allows': `
    select owner.id, max_running, count(*) as jobs from (select id, max_running from account union all select id, max_running from api_key) owner
    join job j on j.status = 'processing' and owner.id in (j.account_id, j.api_key_id) group by owner.id, max_running having count(*) > max_running`,
  'a pending delivery waits in no queue': `
    select id from webhook_delivery d where state = 'pending' and not exists (
      select from pgboss.job q where q.data->>'jobId' = d.id and q.state in ('created', 'retry', 'active'))`,
  'an attempt that another one followed is missing, or has not ended': `
    select j.id from job j where exists (
      select from generate_series((select min(a.attempt) from job_attempt a where a.job_id = j.id), j.attempt - 1) n
      where not exists (select from job_attempt a where a.job_id = j.id and a.attempt = n and a.ended_at is not null))`,
  'an attempt began before the one ahead of it had ended, or is ahead of its job': `
    select a.job_id, a.attempt from job_attempt a left join job_attempt b on b.job_id = a.job_id and b.attempt = a.attempt - 1
    join job j on j.id = a.job_id where a.started_at < b.ended_at or a.ended_at < a.started_at or j.attempt < a.attempt`,
  'a transaction was left open': `
    select pid, left(query, 80) as query from pg_stat_activity where datname = current_database()
      and state like 'idle in transaction%' and state_change < now() - interval '5 seconds'`,
}

/** A test's evidence besides the database. */
interface Evidence {
  /** The service as its callers see it. */
  readonly door?: Door
  /** Every request that a receiver of webhooks got. */
  readonly received?: readonly Received[]
  /** The log lines of the processes. */
  readonly logs?: readonly string[]
  /** Texts and keys that no log may hold. */
  readonly secrets?: readonly string[]
  /** The processes that are to live on, as they were at rest before the fault. */
  readonly before?: readonly AtRest[]
  /** How long they are left alone before; the default is longer than connections are kept for later. */
  readonly restMs?: number
}

/**
 * Checks the invariants that hold after any failure, over the database, the artifact store and the evidence. Returns each violation in words: an
 * empty list is the proof. `accepted` are the ids of every 202. Call it at the end, when all jobs have ended.
 */
export async function audit(
  runtime: Runtime,
  accepted: readonly string[],
  { door, received = [], logs = [], secrets = [], before = [], restMs }: Evidence = {},
): Promise<string[]> {
  const found: string[] = []
  for (const [sentence, sql] of Object.entries(VIOLATIONS)) {
    const { rows } = await runtime.db.pool.query(sql)
    found.push(...rows.map((row) => `${sentence}: ${JSON.stringify(row)}`))
  }
  found.push(...(await auditColumns(runtime)))
  const { rows: jobs } = await runtime.db.pool.query<{ id: string; status: string }>(
    'select id, status from job where id = any($1)',
    [accepted],
  )
  const statuses = new Map(jobs.map(({ id, status }) => [id, status]))
  for (const id of accepted) {
    const status = statuses.get(id) ?? 'missing'
    if (!['completed', 'failed'].includes(status)) found.push(`an accepted job did not end: ${id} is ${status}`)
  }
  const seen = [auditArtifacts(runtime), auditCallbacks(runtime, received), door === undefined ? [] : auditDoors(door)]
  found.push(...(await Promise.all(seen)).flat(), ...auditLogs(logs, secrets))
  // Last: to look takes connections of the service.
  const rested = await Promise.all(before.map((one) => auditAtRest(runtime.db.pool, one, restMs)))
  return [...found, ...rested.flat()]
}

interface Kept {
  storage_key: string
  content_type: string
  bytes: string
  sha256: Buffer
}

async function auditArtifacts(runtime: Runtime): Promise<string[]> {
  const { rows } = await runtime.db.pool.query<Kept>('select storage_key, content_type, bytes, sha256 from artifact')
  const checks = rows.map(async ({ storage_key: key, content_type: type, bytes, sha256 }) => {
    try {
      const content = await buffer(await runtime.storage.read(key))
      const same = content.length === Number(bytes) && createHash('sha256').update(content).digest().equals(sha256)
      return same && (type !== 'audio/wav' || readWav(content).whole)
        ? []
        : [`an artifact is not what was stored: ${key}`]
    } catch (error) {
      return [`an artifact cannot be read: ${key}: ${(error as Error).message}`]
    }
  })
  return (await Promise.all(checks)).flat()
}

/** The current answer of every poll; two such lists differ if a finished job changed. */
export async function finalStates(runtime: Runtime): Promise<unknown[]> {
  const { rows } = await runtime.db.pool.query(
    `select id, status, completed_at, error_code from job where status in ('completed', 'failed') order by id`,
  )
  return rows
}
