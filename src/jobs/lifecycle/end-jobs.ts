import type { CaptionFormat } from '../../audio/format.ts'
import { type JobType, knownKey, poolOfJob } from '../../catalog/job-kinds.ts'
import type { Parts } from '../../context/context.ts'
import { outwaitLocks } from '../../db/connections/lock-wait.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import type { QueueRow } from '../../queue/job-source.ts'
import { dequeueJoined } from '../../queue/pgboss/dequeue.ts'
import type { InScope } from '../../queue/queue.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { newId } from '../../values/id.ts'
import { ENDED_AT } from '../job-shape.ts'
import { type JobFailure, type JobStatus, queuedTypeSql, statesBefore } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'

export interface JobName {
  readonly accountId: string
  readonly jobId: string
}

export interface Provenance {
  /** Voice jobs only. */
  readonly chunks?: number | null
  /** In which a voice job was spoken. */
  readonly language?: string | undefined
  readonly providerJobId?: string | null
  readonly gpuExecutionTimeMs?: number | null
}

export interface FinishedArtifact {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly bytes: number
  readonly sha256: Uint8Array
  readonly durationMs: number | null
  readonly timing?: Uint8Array | undefined
  readonly captions?: readonly CaptionFormat[] | undefined
}

export interface JobEnd extends JobName {
  /** Absent: the job is completed. */
  readonly failure?: JobFailure
  readonly artifacts?: readonly FinishedArtifact[]
  readonly provenance?: Provenance | undefined
  /** On companion jobs. */
  readonly verdict?: { readonly isProhibited: boolean; readonly reason: string | null }
  /** Absent: any attempt may end. */
  readonly attempt?: number
  /** Set if the job fails before this attempt begins. */
  readonly nextAttempt?: number
  /** Deleted with the end. */
  readonly row?: QueueRow | undefined
  /** Runs work in the log scope and the trace of the job, whose end may be written with others. */
  readonly inScope?: InScope
  /** Writes the caller's rows in the same transaction. */
  also?(tx: Tx): Promise<unknown>
}

export interface EndedJob {
  readonly type: JobType
  readonly endpoint_key: string
  readonly attempt: number
  /** Null if no worker started it. */
  readonly wait_ms: number | null
  readonly run_ms: number | null
  /** Credits. */
  readonly refunded: number
}

interface DeliveredJob extends JobName {
  readonly url: string
  readonly inScope?: InScope | undefined
}

export interface DeliveryPort {
  /**
   * Creates and queues deliveries in the transaction that ended their jobs.
   * @returns a function that the caller calls after the commit
   */
  create(tx: Tx, jobs: readonly DeliveredJob[]): Promise<() => void>
}

export interface EndingParts extends Parts, MeasuredParts {
  readonly deliveries: DeliveryPort
}

/** @param job its table */
const endedColumns = (job: string): string =>
  `${job}.type, ${job}.endpoint_key, ${job}.attempt, (extract(epoch from ${job}.started_at - ${job}.created_at) * 1000)::float8 as wait_ms,
  (extract(epoch from ${job}.completed_at - ${job}.started_at) * 1000)::float8 as run_ms`

/** Companion jobs have no receiver. */
const RECEIVER = `case when ${queuedTypeSql('j.type')}
  then coalesce(j.webhook_url, (select account.webhook_url from account where account.id = j.account_id)) end`

/** A voice job is counted by the characters of its text. */
const KEPT_INPUTS = `case when j.type = 'voice' then json_build_object('characters', job_characters(j.type, j.inputs)) else 'null'::json end`

/** The attempt fences each job and its files; the retry count fences its queue row. */
const END_JOBS = `
with done as materialized (
  select * from json_to_recordset($1::json) as done (place int, id text, attempt int, next_attempt int, states job_status[], status job_status,
    error_code text, cause text, chunks int, language text, provider text, gpu_ms int, is_prohibited boolean, reason text, queue text, delivery uuid, retry_count int)
), ended as (
  update job j set status = done.status, completed_at = ${ENDED_AT}, error_code = done.error_code, cause = done.cause,
    attempt = coalesce(done.next_attempt, j.attempt),
    inputs = case when $3 or not ${queuedTypeSql('j.type')} then j.inputs else ${KEPT_INPUTS} end,
    chunks_done = coalesce(done.chunks, j.chunks_done), chunks_total = coalesce(done.chunks, j.chunks_total),
    language = coalesce(j.language, done.language),
    provider_job_id = coalesce(done.provider, j.provider_job_id),
    gpu_execution_time_ms = case when done.provider is null then j.gpu_execution_time_ms
      when j.provider_job_id = done.provider then coalesce(done.gpu_ms, j.gpu_execution_time_ms) else done.gpu_ms end,
    is_prohibited = coalesce(done.is_prohibited, j.is_prohibited), reason = coalesce(done.reason, j.reason)
  from done
  where j.id = any(array(select id from done)) and j.id = done.id and j.attempt = coalesce(done.attempt, j.attempt) and j.status = any(done.states)
  returning done.place, j.held is not null as is_held, ${RECEIVER} as url, ${endedColumns('j')}
), stored as (
  insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions)
  select id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, timing, captions
  from json_to_recordset($2::json) as file (place int, id text, job_id text, output text, storage_key text, content_type text, bytes bigint,
    sha256 bytea, duration_ms int, timing bytea, captions text[])
  where place in (select place from ended)
), dequeued as (${dequeueJoined('done.place in (select place from ended)')})
select * from ended`

/** A second statement, because the first does not see a charge that a claim committed while it waited for the job. */
const REFUND = `
with refunded as (
  insert into credit_entry (account_id, kind, amount, job_id, api_key_id, endpoint_key)
  select account_id, 'refund', -amount, job_id, api_key_id, endpoint_key from credit_entry where job_id = any($1::text[]) and kind = 'charge'
  on conflict (job_id, kind) do nothing
  returning account_id, job_id, amount
), returned as (
  update account a set credits = a.credits + total.amount
  from (select account_id, sum(amount) as amount from refunded group by account_id) as total where a.id = total.account_id
)
select job_id, amount::float8 as credits from refunded`

/** Charges what held credits were for. A trigger has released those of jobs that failed. */
const SETTLE = `
with due as materialized (
  select id, account_id, held, cost, api_key_id, endpoint_key from job where id = any($1::text[]) and held is not null
), released as (
  update job j set held = null from due where j.id = due.id
), charged as (
  insert into credit_entry (account_id, kind, amount, job_id, api_key_id, endpoint_key)
  select account_id, 'charge', -cost, id, api_key_id, endpoint_key from due
), total as (
  select account_id, sum(held) as held, sum(cost) as cost from due group by account_id
), payer as materialized (
  select id from account where id in (select account_id from total) order by id for no key update
)
update account a set held = a.held - total.held, credits = a.credits - total.cost from total join payer on payer.id = total.account_id
where a.id = payer.id`

const ENDED = `
  select ${endedColumns('job')},
    (select coalesce(sum(amount), 0)::float8 from credit_entry where job_id = $1 and kind = 'refund') as refunded
  from job where id = $1 and attempt = coalesce($2, attempt) and status = $3 and error_code is not distinct from $4`

interface EndedRow extends Omit<EndedJob, 'refunded'> {
  readonly place: number
  readonly url: string | null
  readonly is_held: boolean
}

/**
 * Ends jobs in one transaction: terminal states, artifacts, queue rows, refunds, the callers' rows and deliveries.
 * @param longestLockWait after it the transaction fails
 * @returns for each job the row to report; null if it has ended already or has another attempt: nothing of it was written
 */
export async function endJobs(
  parts: EndingParts,
  ends: readonly JobEnd[],
  longestLockWait: string,
): Promise<(EndedJob | null)[]> {
  const files = ends.flatMap((end, place) => filesOf(parts, end, place))
  const { keepsTexts } = parts.settings
  const values = [recordset(ends.map(stateOf)), recordset(files), keepsTexts]
  const { ended, announce } = await inTransaction(
    parts.db,
    async (tx) => {
      const { rows } = await tx.query<EndedRow>({ name: 'end_jobs', text: END_JOBS, values })
      const written = rows.map((row) => ({ ...row, end: ends[row.place]! }))
      const held = written.flatMap(({ end, is_held }) => (is_held ? [end.jobId] : []))
      if (held.length > 0) await tx.query({ name: 'settle_held', text: SETTLE, values: [held] })
      const refunds = await refundJobs(tx, written)
      for (const { end } of written) await end.also?.(tx)
      const delivered = written.flatMap(({ end, url }) => (url === null ? [] : [{ ...end, url }]))
      const announce = delivered.length === 0 ? null : await parts.deliveries.create(tx, delivered)
      const ended = new Map(written.map((row) => [row.place, { ...row, refunded: refunds.get(row.end.jobId) ?? 0 }]))
      return { ended, announce }
    },
    longestLockWait,
  )
  announce?.()
  return ends.map((_end, place) => ended.get(place) ?? null)
}

/**
 * Ends one job, waits for its locks and tells subscribers.
 * @returns false if the job has ended already or has another attempt; nothing was written
 */
export async function endJob(parts: EndingParts, end: JobEnd): Promise<boolean> {
  const [ended] = await outwaitLocks(parts.db, end.accountId, (longest) => endJobs(parts, [end], longest))
  if (ended) reportJobEnded(parts, end, ended)
  return ended != null
}

/** The same, and true if an earlier try, whose answer was lost, has ended the job so. */
export const endJobOnce = async (parts: EndingParts, end: JobEnd): Promise<boolean> =>
  (await endJob(parts, end)) || announceLostEnd(parts, end)

function stateOf(end: JobEnd, place: number): object {
  const { jobId, failure, provenance, verdict, row } = end
  const status: JobStatus = failure === undefined ? 'completed' : 'failed'
  return {
    ...{ place, id: jobId, attempt: end.attempt, next_attempt: end.nextAttempt },
    ...{ states: statesBefore(status), status, error_code: failure?.code, cause: failure?.message },
    ...{
      chunks: provenance?.chunks,
      language: provenance?.language,
      provider: provenance?.providerJobId,
      gpu_ms: provenance?.gpuExecutionTimeMs,
    },
    ...{ is_prohibited: verdict?.isProhibited, reason: verdict?.reason },
    ...{ queue: row?.queue, delivery: row?.id, retry_count: row?.retryCount },
  }
}

/** Captions are made of the text when they are read. */
const filesOf = (
  { now, settings }: Pick<Parts, 'now' | 'settings'>,
  { jobId, artifacts = [] }: JobEnd,
  place: number,
): object[] =>
  artifacts.map((file) => ({
    ...{ place, id: newId('art', now()), job_id: jobId, output: file.output, storage_key: file.storageKey },
    ...{ content_type: file.contentType, bytes: file.bytes, sha256: hexOf(file.sha256), duration_ms: file.durationMs },
    ...{
      timing: file.timing && hexOf(file.timing),
      captions: settings.keepsTexts ? file.captions : undefined,
    },
  }))

const hexOf = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`

/** PostgreSQL refuses unpaired surrogates, which an engine may send. */
const recordset = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value) => (typeof value === 'string' ? value.toWellFormed() : value))

/** @returns credits by job id */
async function refundJobs(tx: Tx, ended: readonly { readonly end: JobEnd }[]): Promise<Map<string, number>> {
  const failed = ended.flatMap(({ end }) => (end.failure === undefined ? [] : [end.jobId]))
  if (failed.length === 0) return new Map()
  const { rows } = await tx.query<{ job_id: string; credits: number }>(REFUND, [failed])
  return new Map(rows.map(({ job_id: jobId, credits }) => [jobId, credits]))
}

/** Logs, counts and announces an end after its commit. */
export function reportJobEnded(
  parts: Pick<Parts, 'catalog' | 'log' | 'notifier'> & MeasuredParts,
  { failure, ...job }: Pick<JobEnd, 'jobId' | 'accountId' | 'failure'>,
  { type, endpoint_key: key, attempt, wait_ms: waitMs, run_ms: runMs, refunded }: EndedJob,
): void {
  const { telemetry, catalog, log } = parts
  notifyJob(parts, job)
  if (!telemetry.measures && !log.isLevelEnabled('info')) return
  const pool = poolOfJob(catalog, key)
  const outcome = failure === undefined ? 'completed' : 'failed'
  const times = { waitMs: rounded(waitMs), runMs: rounded(runMs) }
  log.info(
    { jobId: job.jobId, pool, attempt, ...times, outcome, ...(failure && { code: failure.code }) },
    'a job ended',
  )
  telemetry.count('jobs_finished_total', {
    ...{ type, pool, endpoint_key: knownKey(catalog, key), outcome },
    error_code: failure?.code ?? '',
  })
  if (runMs !== null) telemetry.observe('job_run_seconds', { type, pool }, runMs / 1000)
  if (refunded > 0) telemetry.count('credits_total', { kind: 'refund' }, refunded)
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

/**
 * Announces an end whose commit succeeded although its answer was lost.
 * @param end without `attempt`: the last one
 * @returns whether the job has ended so
 */
export async function announceLostEnd(
  parts: Pick<Parts, 'db' | 'catalog' | 'log' | 'notifier'> & MeasuredParts,
  end: Pick<JobEnd, 'jobId' | 'accountId' | 'attempt' | 'failure'>,
): Promise<boolean> {
  const { jobId, attempt, failure } = end
  const status = failure === undefined ? 'completed' : 'failed'
  const values = [jobId, attempt ?? null, status, failure?.code ?? null]
  const { rows } = await parts.db.pool.query<EndedJob>(ENDED, values)
  const [ended] = rows
  if (ended === undefined) return false
  reportJobEnded(parts, end, ended)
  return true
}
