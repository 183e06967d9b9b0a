import type { AccountHolder } from '../../access/actor.ts'
import { requireAccount } from '../../access/require.ts'
import type { QueuedType } from '../../catalog/job-kinds.ts'
import type { Context } from '../../context/context.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import {
  balanceTooLow,
  internalError,
  monthlyLimitReached,
  paymentRequired,
  ServiceError,
  unavailable,
} from '../../errors/service-error.ts'
import { type IdempotentRequest, recallJob, rememberingJobs } from '../../idempotency/remember-response.ts'
import type { JobKind } from '../../queue/job-kind.ts'
import type { RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { isAwaited, type JobOptions } from '../job-shape.ts'
import { notifyJob } from '../live/notify-job.ts'

const OWN = 'id, account_id, type, endpoint_key, api_key_id, inputs, webhook_url, cost, created_at, options, user_id'
const COLUMNS = `${OWN}, voice, language, tags`
/** Rows of several arrays cannot be sent as one array, so each array is sent as text. */
const TYPED = `${OWN}, voice, language, tags::text[]`
const ARRAYS = `$1::text[], $2::text[], $3::job_type[], $4::text[], $5::text[], $6::json[], $7::text[], $8::bigint[],
  $9::timestamptz[], $10::jsonb[], $11::text[], $12::text[], $13::text[], $14::text[]`
const MADE = `unnest(${ARRAYS}) as made (${COLUMNS})`
const KEYED = `asked as materialized (
    select * from unnest(${ARRAYS}, $15::text[], $16::bytea[]) as asked (${COLUMNS}, key, request_hash)
  ),
  remembered as (${rememberingJobs('asked')}),
  made as materialized (select ${COLUMNS} from asked where id in (select id from remembered))`

/** RETURNING runs after the insert, so a repeated row fails as a duplicate first. */
const IN_TIME = 'refuse_late_job(account_id, created_at)'

export const INSERT_JOB: JobInsert = {
  name: 'insert_job',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${TYPED} from ${MADE} where ${condition} returning id as queued, ${IN_TIME}`,
}

/** Inserts a job only if its Idempotency-Key does not stand for another job. */
export const INSERT_JOB_ONCE: JobInsert = {
  name: 'insert_once',
  with: KEYED,
  chosen: 'remembered',
  text: (condition) =>
    `insert into job (${COLUMNS}) select ${TYPED} from made where ${condition} returning id as queued, ${IN_TIME}`,
}

/** Inserts as `INSERT_JOB_ONCE` does, unless the account's jobs that wait would cost more than it has. Batches lock accounts in one order. */
export const INSERT_JOB_WITHIN_BALANCE: JobInsert = {
  ...INSERT_JOB_ONCE,
  name: 'insert_paid',
  text: (condition) => `
    insert into job (${COLUMNS}) select ${TYPED} from made where ${condition} order by account_id, id
    returning id as queued, ${IN_TIME},
      case when id in (select max(id) from made group by account_id) then refuse_unpaid_jobs(account_id) end`,
}

const LATE = 'SN001'
/** A trigger raises it for a job whose cost would exceed the monthly limit of its account or key. */
export const LIMIT_REACHED = 'SN002'
/** The insertion raises it for jobs that the balance does not pay. */
const UNPAID = 'SN003'
const MOST_IDS = 10

export interface Submission {
  readonly jobId: string
  readonly status: 'queued'
  readonly replayed: boolean
}

interface QueuedJob {
  readonly type: QueuedType
  readonly endpointKey: string
  readonly kind: JobKind
  readonly server: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly options?: JobOptions | null | undefined
  readonly voice?: string | null
  readonly language?: string | null
  readonly tags?: readonly string[] | null | undefined
  readonly webhookUrl?: string | null | undefined
  /** Credits, charged when a worker claims the job. */
  readonly cost: bigint
  readonly idempotency: IdempotentRequest | null
  /** True: the balance has to pay the job with all of the account that wait. Such a job needs `idempotency`. */
  readonly isWithinBalance?: boolean
}

type JobInsert = Omit<RowInsert, 'row'>

/**
 * Answers a repeated request with its first job, even if `submit` refuses it today.
 * @throws IDEMPOTENCY_MISMATCH if another request used the key, or the error of `submit`
 */
export async function unlessReplayed(
  ctx: Context,
  idempotency: IdempotentRequest | null,
  submit: () => Promise<Submission>,
): Promise<Submission> {
  try {
    return await submit()
  } catch (error) {
    if (isDatabaseDown(error)) throw error
    const replay = await replayed(ctx, idempotency).catch((other: unknown) => {
      throw other instanceof ServiceError ? other : error
    })
    if (replay === null) throw error
    return replay
  }
}

async function replayed(ctx: Context, idempotency: IdempotentRequest | null): Promise<Submission | null> {
  const jobId = idempotency === null ? null : await recallJob(ctx, idempotency)
  return jobId === null ? null : { jobId, status: 'queued', replayed: true }
}

/**
 * Commits a job, its queue row and its Idempotency-Key together, or finds the key's earlier job.
 * @throws UNAUTHORIZED without an account, PAYMENT_REQUIRED unless the balance is positive, or pays the job as it asks, and the monthly limits leave the cost, IDEMPOTENCY_MISMATCH
 */
export async function queueJob(ctx: Context, job: QueuedJob): Promise<Submission> {
  const actor = requireAccount(ctx)
  if (actor.credits <= 0n) throw paymentRequired()
  // Most jobs beyond a limit are refused here; an insertion that fails makes the others of its batch repeat theirs.
  if (actor.allowance != null && job.cost > 0n && job.cost > actor.allowance) throw monthlyLimitReached()
  try {
    return await withNewId(ctx, (jobId) => queueAs(ctx, jobId, actor, job))
  } catch (error) {
    if (hasCode(error, UNPAID)) throw balanceTooLow()
    throw hasCode(error, LIMIT_REACHED) ? monthlyLimitReached() : error
  }
}

async function queueAs(ctx: Context, jobId: string, actor: AccountHolder, job: QueuedJob): Promise<Submission> {
  const { kind, idempotency } = job
  const row = insertOf(jobId, actor, job)
  const limitedKey = actor.kind === 'key' && actor.limitsRunning ? actor.apiKeyId : undefined
  const fairShare = {
    accountId: actor.accountId,
    limitedKey,
    server: job.server,
    isAwaited: isAwaited(job.options ?? {}),
  }
  await ctx.queue.prepare(kind)
  const insert = () => ctx.queue.enqueueWith(ctx.db, row, kind, jobId, { fairShare })
  const replay = idempotency === null ? await insert().then(() => null) : await replayUnless(ctx, idempotency, insert)
  if (replay !== null) return replay
  notifyJob(ctx, { accountId: actor.accountId, jobId })
  return { jobId, status: 'queued', replayed: false }
}

const MOST_TRIES = 3

function insertOf(jobId: string, actor: AccountHolder, job: QueuedJob): RowInsert {
  const columns = [
    jobId,
    actor.accountId,
    job.type,
    job.endpointKey,
    actor.kind === 'key' ? actor.apiKeyId : null,
    JSON.stringify(job.inputs),
    job.webhookUrl ?? null,
    job.cost,
    idTime(jobId),
    job.options ? JSON.stringify(job.options) : null,
    actor.kind === 'session' ? actor.userId : null,
    job.voice ?? null,
    job.language ?? null,
    job.tags?.length ? arrayLiteral(new Set(job.tags)) : null,
  ]
  const { idempotency } = job
  if (idempotency === null) return { ...INSERT_JOB, row: columns }
  const insert = job.isWithinBalance && job.cost > 0n ? INSERT_JOB_WITHIN_BALANCE : INSERT_JOB_ONCE
  return { ...insert, row: [...columns, idempotency.key, idempotency.requestHash] }
}

const arrayLiteral = (texts: ReadonlySet<string>): string =>
  `{${[...texts].map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`

/** A concurrent request may forget its job, which frees the key, so the insertion is tried again. */
async function replayUnless(
  ctx: Context,
  idempotency: IdempotentRequest,
  insert: () => Promise<boolean>,
): Promise<Submission | null> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (await insert()) return null
    const submission = await replayed(ctx, idempotency)
    if (submission !== null) return submission
  }
  throw internalError('an idempotency record vanished')
}

/** Inserts a job with a new id. PostgreSQL refuses ids inside a window that was read; the insert repeats with its time. */
export async function withNewId<Result>(ctx: Context, insert: (jobId: string) => Promise<Result>): Promise<Result> {
  let at = ctx.now()
  for (let tries = 0; tries < MOST_IDS; tries++) {
    try {
      return await insert(newId('job', at, ctx.settings.cell))
    } catch (error) {
      if (!hasCode(error, LATE)) throw error
      at = await databaseTime(ctx)
    }
  }
  throw unavailable('a job came late every time')
}

async function databaseTime({ db }: Context): Promise<Date> {
  const { rows } = await db.pool.query<{ at: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as at`)
  return rows[0]!.at
}

export function hasCode(error: unknown, wanted: string): boolean {
  const { code, meta } = (error ?? {}) as {
    readonly code?: unknown
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } }
  }
  return code === wanted || meta?.driverAdapterError?.cause?.originalCode === wanted
}
