import type { AccountHolder } from '../../access/actor.ts'
import { requireAccount } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { internalError, paymentRequired, ServiceError } from '../../errors/service-error.ts'
import { type IdempotentRequest, recallJob } from '../../idempotency/remember-response.ts'
import type { JobKind } from '../../queue/job-kind.ts'
import type { RowInsert } from '../../queue/queue.ts'
import { idTime } from '../../values/id.ts'
import { INSERT_JOB, INSERT_JOB_ONCE } from '../insert-job.ts'
import type { JobOptions } from '../job-options.ts'
import type { QueuedType } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import { withNewId } from './with-new-id.ts'

/** What a caller gets for a job that was accepted. */
export interface Submission {
  readonly jobId: string
  readonly status: 'queued'
  /** True when an Idempotency-Key led to a job that was there before. */
  readonly replayed: boolean
}

/** A valid submission of the caller's, ready to be recorded. */
interface QueuedJob {
  readonly type: QueuedType
  readonly endpointKey: string
  readonly kind: JobKind
  /** What will do the work: accounts are served round robin at each. */
  readonly server: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly options?: JobOptions | null | undefined
  readonly webhookUrl?: string | null | undefined
  /** Credits that a worker charges when it takes the job. */
  readonly cost: bigint
  readonly idempotency: IdempotentRequest | null
}

/**
 * A repetition is answered with its job, whatever is said of such a request today. As most keys are new it is looked for once `submit` has
 * refused the request; one that `submit` would accept is found where its key is bound.
 * @throws IDEMPOTENCY_MISMATCH where the key was already used with a different request, whatever `submit` throws
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

/** The job that the same request made before, or null. @throws IDEMPOTENCY_MISMATCH where the key was already used with a different request */
async function replayed(ctx: Context, idempotency: IdempotentRequest | null): Promise<Submission | null> {
  const jobId = idempotency === null ? null : await recallJob(ctx, idempotency)
  return jobId === null ? null : { jobId, status: 'queued', replayed: true }
}

/**
 * Records a job, its queue row and its Idempotency-Key, committed together before this returns; or finds the job that a request with the
 * same key made before. It is charged when a worker takes it.
 * @throws UNAUTHORIZED without an account, PAYMENT_REQUIRED unless the balance is positive, IDEMPOTENCY_MISMATCH
 */
export async function queueJob(ctx: Context, job: QueuedJob): Promise<Submission> {
  const actor = requireAccount(ctx)
  if (actor.credits <= 0n) throw paymentRequired()
  return withNewId(ctx, (jobId) => queueAs(ctx, jobId, actor, job))
}

async function queueAs(ctx: Context, jobId: string, actor: AccountHolder, job: QueuedJob): Promise<Submission> {
  const { kind, idempotency } = job
  const row = insertOf(jobId, actor, job)
  const fairShare = { accountId: actor.accountId, server: job.server, isAwaited: job.options?.live === true }
  await ctx.queue.prepare(kind)
  const insert = async () => (await ctx.queue.enqueueWith(ctx.db, row, kind, jobId, { fairShare })) !== undefined
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
  ]
  const { idempotency } = job
  if (idempotency === null) return { ...INSERT_JOB, row: columns }
  return { ...INSERT_JOB_ONCE, row: [...columns, idempotency.key, idempotency.requestHash] }
}

/**
 * Null once the job was inserted; where another request with the same key committed first, that one's job is the answer. One that has given
 * its job up since has set the key free (`forgetJob`).
 */
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
