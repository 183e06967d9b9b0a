import { requireAccount } from '../access/require.ts'
import type { JobType } from '../catalog/job-kinds.ts'
import type { Tx } from '../db/database.ts'
import { sqlIn } from '../db/sql.ts'
import { untilAnswered } from '../db/until-answered.ts'
import { ServiceError } from '../errors/service-error.ts'
import {
  forgetJob,
  type IdempotentRequest,
  idempotentRequest,
  keepAnswer,
  recallJob,
  rememberJob,
} from '../idempotency/remember-response.ts'
import { JOB_ERRORS, type JobErrorCode, JobFailure } from '../jobs/job-states.ts'
import { endJob, endJobOnce, type JobName } from '../jobs/lifecycle/end-jobs.ts'
import { withNewId } from '../jobs/lifecycle/queue-job.ts'
import { failureOf } from '../jobs/lifecycle/record-outcome.ts'
import { notifyJob } from '../jobs/live/notify-job.ts'
import { idTime } from '../values/id.ts'
import type { Limit } from './chat-completions.ts'
import type { CompanionContext } from './companion.ts'

const ASK_AGAIN_SECONDS = 2
/** Time to write the end while the database is away. */
const GRACE_MS = 45_000

export interface CompanionView<Result> {
  readonly jobId: string
  readonly status: 'completed' | 'failed'
  /** Null on failed jobs. */
  readonly isProhibited: boolean | null
  readonly result: Result | null
  readonly failure: { readonly code: JobErrorCode; readonly message: string } | null
  readonly replayed: boolean
}

interface CompanionWork<Result extends object> {
  readonly type: Extract<JobType, `companion_${string}`>
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
  readonly content: readonly unknown[]
  readonly context: { readonly chatId?: string; readonly mediaUrl?: string; readonly mediaKind?: string }
  /**
   * Runs before the job exists.
   * @throws NOT_FOUND
   */
  prepare?(): Promise<void>
  /**
   * Runs without a transaction.
   * @throws EngineError; or the signal's reason when aborted
   */
  perform(limit: Limit): Promise<Decision<Result>>
}

export interface Decision<Result extends object> {
  /** A sentence; null: not rejected. */
  readonly rejection: string | null
  readonly result: Result
  commit?(tx: Tx): Promise<void>
}

/**
 * Records a job, performs its work and finishes it. If the process dies, failAbandonedJobs fails the job.
 * @throws IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS, and errors of `prepare`
 */
export async function runCompanionJob<Result extends object>(
  ctx: CompanionContext,
  work: CompanionWork<Result>,
): Promise<CompanionView<Result>> {
  const idempotency = idempotentRequest(requireAccount(ctx), work.idempotencyKey, [work.type, ...work.content])
  const known = idempotency === null ? null : await recall<Result>(ctx, idempotency)
  if (known !== null) return known
  await work.prepare?.()
  const { jobId, isNew } = await withNewId(ctx, async (id) => ({
    jobId: id,
    isNew: await begin(ctx, work, id, idempotency),
  }))
  if (!isNew) {
    const faster = idempotency === null ? null : await recall<Result>(ctx, idempotency)
    if (faster === null) throw inProgress()
    return faster
  }
  const job = { accountId: requireAccount(ctx).accountId, jobId }
  notifyJob(ctx, job)
  const outcome = await attempt(ctx, work)
  const end = { ...job, ...endOf(job, outcome, idempotency) }
  const finished = await untilAnswered(() => endJobOnce(ctx, end))
  // Another process gave the job up with this code.
  if (!finished) return failed(jobId, 'INTERNAL_ERROR', false)
  if (outcome instanceof JobFailure) {
    ctx.log.warn({ jobId, code: outcome.code, cause: outcome.message }, 'a job failed')
    return failed(jobId, outcome.code, false)
  }
  const { rejection, result } = outcome
  return { jobId, status: 'completed', isProhibited: rejection !== null, result, failure: null, replayed: false }
}

async function attempt<Result extends object>(
  ctx: CompanionContext,
  work: CompanionWork<Result>,
): Promise<Decision<Result> | JobFailure> {
  const { timeoutMs } = ctx.companion
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await work.perform({ signal, deadline: performance.now() + timeoutMs })
  } catch (error) {
    return signal.aborted ? new JobFailure('JOB_TIMEOUT', 'the companion took too long') : failureOf(error)
  }
}

async function recall<Result>(
  ctx: CompanionContext,
  request: IdempotentRequest,
): Promise<CompanionView<Result> | null> {
  const jobId = await recallJob(ctx, request)
  if (jobId === null) return null
  // The record of a completed job holds its answer.
  const job = await ctx.db.prisma.job.findUnique({ where: { id: jobId }, select: RECALLED })
  const where = { accountId: request.accountId, key: request.key, jobId }
  const record = await ctx.db.prisma.idempotencyRecord.findFirst({ where, select: { response: true } })
  if (job === null || record === null) return null
  if (job.status === 'failed') return failed(jobId, (job.errorCode as JobErrorCode | null) ?? 'INTERNAL_ERROR', true)
  if (job.status === 'completed') {
    const { isProhibited } = job
    const result = record.response as Result | null
    return { jobId, status: 'completed', isProhibited, result, failure: null, replayed: true }
  }
  if ((await failAbandonedJobs(ctx, jobId)) === 0) throw inProgress()
  return null
}

const IN_TIME = 'select refuse_late_job($1, $2::timestamptz)::text'

const RECALLED = { status: true, isProhibited: true, errorCode: true } as const

/** False if another request with the key was faster. */
function begin(
  ctx: CompanionContext,
  work: CompanionWork<object>,
  jobId: string,
  idempotency: IdempotentRequest | null,
): Promise<boolean> {
  const actor = requireAccount(ctx)
  const createdAt = idTime(jobId)
  const data = {
    ...{ id: jobId, accountId: actor.accountId, type: work.type, endpointKey: work.endpointKey, inputs: {} },
    ...{ status: 'processing' as const, attempt: 1, apiKeyId: actor.kind === 'key' ? actor.apiKeyId : null },
    userId: actor.kind === 'session' ? actor.userId : null,
    ...{ createdAt, startedAt: new Date(Math.max(ctx.now().getTime(), createdAt.getTime())) },
    ...work.context,
  }
  return ctx.db.prisma.$transaction(async (tx) => {
    if (idempotency !== null && !(await rememberJob(sqlIn(tx), idempotency, jobId))) return false
    await tx.job.create({ data, select: { id: true } })
    await sqlIn(tx).query({ text: IN_TIME, values: [actor.accountId, createdAt] })
    return true
  })
}

const failed = (jobId: string, code: JobErrorCode, replayed: boolean): CompanionView<never> => ({
  jobId,
  status: 'failed',
  isProhibited: null,
  result: null,
  failure: { code, message: JOB_ERRORS[code] },
  replayed,
})

const inProgress = () =>
  new ServiceError('IDEMPOTENCY_IN_PROGRESS', 'Wait for the first request with this Idempotency-Key.', {
    retryAfterSeconds: ASK_AGAIN_SECONDS,
  })

/** The answer is kept in the transaction that ends the job. */
function endOf({ jobId }: JobName, outcome: Decision<object> | JobFailure, idempotency: IdempotentRequest | null) {
  if (outcome instanceof JobFailure) return { failure: outcome }
  const { rejection, result } = outcome
  return {
    verdict: { isProhibited: rejection !== null, reason: rejection },
    also: async (tx: Tx) => {
      if (idempotency !== null) await keepAnswer(tx, idempotency, jobId, result)
      await outcome.commit?.(tx)
    },
  }
}

/**
 * Fails companion jobs whose process died and deletes their Idempotency-Keys, so that callers can repeat the request.
 * @returns their number
 */
export async function failAbandonedJobs(
  parts: Omit<CompanionContext, 'actor'>,
  jobId: string | null = null,
): Promise<number> {
  const longestMs = parts.companion.timeoutMs + GRACE_MS
  const abandoned = await parts.db.prisma.job.findMany({
    where: {
      status: 'processing',
      type: { in: ['companion_chat', 'companion_retarget', 'companion_media_tag'] },
      startedAt: { lt: new Date(parts.now().getTime() - longestMs) },
      ...(jobId !== null && { id: jobId }),
    },
    select: { id: true, accountId: true },
  })
  const failure = new JobFailure('INTERNAL_ERROR', 'the process ended before the request did')
  let failed = 0
  for (const { id, accountId } of abandoned) {
    const forget = (tx: Tx) => forgetJob(tx, { accountId }, id)
    if (await endJob(parts, { jobId: id, accountId, failure, also: forget })) failed++
  }
  return failed
}
