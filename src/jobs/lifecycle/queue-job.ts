import type { AccountHolder } from '../../access/actor.ts'
import { requireAccount } from '../../access/require.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Context } from '../../context/context.ts'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { internalError, paymentRequired, ServiceError } from '../../errors/service-error.ts'
import { type IdempotentRequest, recallJob } from '../../idempotency/remember-response.ts'
import type { JobKind } from '../../queue/job-kind.ts'
import type { FairShare, RowInsert } from '../../queue/queue.ts'
import { idTime } from '../../values/id.ts'
import { INSERT_TAKEN, INSERT_TAKEN_ONCE, INSERT_WAITING, INSERT_WAITING_ONCE } from '../insert-job.ts'
import type { JobOptions } from '../job-options.ts'
import type { QueuedType } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { ClaimedRow } from './claim-jobs.ts'
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
 * same key made before. It is charged when a worker takes it: at once where one of this process is idle.
 * @throws UNAUTHORIZED without an account, PAYMENT_REQUIRED unless the balance is positive, IDEMPOTENCY_MISMATCH
 */
export async function queueJob(ctx: Context, job: QueuedJob): Promise<Submission> {
  const actor = requireAccount(ctx)
  if (actor.credits <= 0n) throw paymentRequired()
  return withNewId(ctx, (jobId) => queueAs(ctx, jobId, actor, job))
}

async function queueAs(ctx: Context, jobId: string, actor: AccountHolder, job: QueuedJob): Promise<Submission> {
  const { kind, idempotency } = job
  const inserts = insertsOf(jobId, actor, job)
  const fairShare = { accountId: actor.accountId, server: job.server, isAwaited: job.options?.live === true }
  await ctx.queue.prepare(kind)
  const insert = () => queueOnce(ctx, inserts, kind, jobId, fairShare)
  const replay = idempotency === null ? await insert().then(() => null) : await replayUnless(ctx, idempotency, insert)
  if (replay !== null) return replay
  notifyJob(ctx, { accountId: actor.accountId, jobId })
  return { jobId, status: 'queued', replayed: false }
}

const MOST_TRIES = 3

interface Inserts {
  readonly taken: RowInsert
  readonly waiting: RowInsert
}

function insertsOf(jobId: string, actor: AccountHolder, job: QueuedJob): Inserts {
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
  if (idempotency === null)
    return { taken: { ...INSERT_TAKEN, row: columns }, waiting: { ...INSERT_WAITING, row: columns } }
  const row = [...columns, idempotency.key, idempotency.requestHash]
  return { taken: { ...INSERT_TAKEN_ONCE, row }, waiting: { ...INSERT_WAITING_ONCE, row } }
}

/**
 * Where a worker of this process is idle, it has the job with the commit that makes it. Returns false where its Idempotency-Key stands for
 * another job.
 */
async function queueOnce(
  ctx: Context,
  inserts: Inserts,
  kind: JobKind,
  jobId: string,
  fairShare: FairShare,
): Promise<boolean> {
  const { queue, db } = ctx
  const reservation = queue.reserve(kind, jobId, { fairShare })
  if (reservation === null) return queue.enqueueWith(db, inserts.waiting, kind, jobId, { fairShare })
  const taken = await queue.enqueueTaken<ClaimedRow>(db, inserts, kind, jobId, { fairShare, reservation })
  if (taken === 'not chosen') return false
  if (taken === 'waiting') return true
  reservation.begin(taken.row.funded ? taken.row : undefined)
  // The worker's first steps go first: they would wait for the answer to be written.
  await nextTurn()
  return true
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
