import type { AccountHolder } from '../../access/actor.ts'
import { requireAccount } from '../../access/require.ts'
import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Context } from '../../context/context.ts'
import { inRetriedTransaction } from '../../db/database.ts'
import { internalError, paymentRequired } from '../../errors/service-error.ts'
import { type IdempotentRequest, recallJob, rememberJob } from '../../idempotency/remember-response.ts'
import type { JobKind } from '../../queue/job-kind.ts'
import type { FairShare, RowInsert } from '../../queue/queue.ts'
import { idTime, newId } from '../../values/id.ts'
import { INSERT_TAKEN, INSERT_WAITING } from '../insert-job.ts'
import type { JobOptions } from '../job-options.ts'
import type { QueuedType } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'
import type { ClaimedRow } from './claim-jobs.ts'

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

/** The job that the same request made before, or null. @throws IDEMPOTENCY_MISMATCH where the key was already used with a different request */
export async function replayed(ctx: Context, idempotency: IdempotentRequest | null): Promise<Submission | null> {
  const jobId = idempotency === null ? null : await recallJob(ctx, idempotency)
  return jobId === null ? null : { jobId, status: 'queued', replayed: true }
}

/**
 * Records a job and its queue row, committed together before this returns; or finds the job that a request with the same
 * Idempotency-Key made at the same time. It is charged when a worker takes it: at once where one of this process is idle and no
 * Idempotency-Key was sent.
 * @throws UNAUTHORIZED without an account, PAYMENT_REQUIRED unless the balance is positive, IDEMPOTENCY_MISMATCH
 */
export async function queueJob(ctx: Context, job: QueuedJob): Promise<Submission> {
  const { kind, idempotency } = job
  const actor = requireAccount(ctx)
  if (actor.credits <= 0n) throw paymentRequired()

  const jobId = newId('job', ctx.now())
  const insert = insertOf(jobId, actor, job)
  const fairShare = { accountId: actor.accountId, server: job.server }
  await ctx.queue.prepare(kind)
  if (idempotency === null) await queueAlone(ctx, insert, kind, jobId, fairShare)
  else {
    const replay = await replayUnless(ctx, idempotency, () =>
      insertOnce(ctx, idempotency, insert, kind, jobId, fairShare),
    )
    if (replay !== null) return replay
    ctx.queue.wake(kind)
  }
  notifyJob(ctx, { accountId: actor.accountId, jobId })
  return { jobId, status: 'queued', replayed: false }
}

const MOST_TRIES = 3

function insertOf(jobId: string, actor: AccountHolder, job: QueuedJob): RowInsert {
  const row = [
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
  return { ...INSERT_WAITING, row }
}

/** Where a worker of this process is idle, it has the job with the commit that makes it. */
async function queueAlone(
  ctx: Context,
  insert: RowInsert,
  kind: JobKind,
  jobId: string,
  fairShare: FairShare,
): Promise<void> {
  const { queue, db } = ctx
  const reservation = queue.reserve(kind, jobId, { fairShare })
  if (reservation === null) return queue.enqueueWith(db, insert, kind, jobId, { fairShare })
  const rows = { taken: { ...INSERT_TAKEN, row: insert.row }, waiting: insert }
  const claimed = await queue.enqueueTaken<ClaimedRow>(db, rows, kind, jobId, { fairShare, reservation })
  if (claimed === null) return
  reservation.begin(claimed.funded ? claimed : undefined)
  // The worker's first steps go first: they would wait for the answer to be written.
  await nextTurn()
}

/** Makes the job unless another request with the same key has made one: then false. */
function insertOnce(
  ctx: Context,
  request: IdempotentRequest,
  insert: RowInsert,
  kind: JobKind,
  jobId: string,
  fairShare: FairShare,
): Promise<boolean> {
  return inRetriedTransaction(ctx.db, request.accountId, async (tx) => {
    if (!(await rememberJob(tx, request, jobId))) return false
    await ctx.queue.enqueue(tx, insert, kind, jobId, { fairShare })
    return true
  })
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
