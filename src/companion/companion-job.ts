import { requireAccount } from '../access/require.ts'
import { inTransaction } from '../db/database.ts'
import { untilAnswered } from '../db/until-answered.ts'
import { ServiceError } from '../errors/service-error.ts'
import { type IdempotentRequest, idempotentRequest, recallJob, rememberJob } from '../idempotency/remember-response.ts'
import { JOB_ERRORS, type JobErrorCode, JobFailure, type JobType } from '../jobs/job-states.ts'
import { failureOf } from '../jobs/lifecycle/perform-job.ts'
import { notifyJob } from '../jobs/live/notify-job.ts'
import { idTime, newId } from '../values/id.ts'
import type { CompanionContext } from './companion.ts'
import type { Limit } from './companion-server.ts'
import { failAbandonedJobs } from './fail-abandoned-jobs.ts'
import { type Decision, finishJob } from './finish-job.ts'

/** Most companion work is done by then. */
const ASK_AGAIN_SECONDS = 2

/** The answer to a companion request, the first time and whenever it is repeated with its Idempotency-Key. */
export interface CompanionView<Result> {
  readonly jobId: string
  readonly status: 'completed' | 'failed'
  /** null on failed jobs: nothing was decided. */
  readonly isProhibited: boolean | null
  /** Completed jobs only. */
  readonly result: Result | null
  /** Failed jobs only. */
  readonly failure: { readonly code: JobErrorCode; readonly message: string } | null
  /** True when an Idempotency-Key led to a job that was there before. */
  readonly replayed: boolean
}

/** A valid request to the companion. */
interface CompanionWork<Result> {
  readonly type: Extract<JobType, `companion_${string}`>
  readonly endpointKey: string
  readonly idempotencyKey: string | null | undefined
  /** What the Idempotency-Key stands for. */
  readonly content: readonly unknown[]
  /** The request's context in the job's row. */
  readonly context: { readonly chatId?: string; readonly mediaUrl?: string; readonly mediaKind?: string }
  /** The work itself, without a transaction. @throws EngineError; or the signal's reason when aborted */
  perform(limit: Limit): Promise<Decision<Result>>
}

/**
 * Records a job, does its work and finishes it before this returns. What the caller sent is not kept with the job.
 * Costs nothing and asks for no balance. A process that dies in between leaves a job to failAbandonedJobs.
 * @throws IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_PROGRESS
 */
export async function runCompanionJob<Result>(
  ctx: CompanionContext,
  work: CompanionWork<Result>,
): Promise<CompanionView<Result>> {
  const idempotency = idempotentRequest(requireAccount(ctx), work.idempotencyKey, [work.type, ...work.content])
  const known = idempotency === null ? null : await recall<Result>(ctx, idempotency)
  if (known !== null) return known
  const jobId = newId('job', ctx.now())
  if (!(await begin(ctx, work, jobId, idempotency))) {
    const faster = idempotency === null ? null : await recall<Result>(ctx, idempotency)
    if (faster === null) throw inProgress()
    return faster
  }
  const job = { accountId: requireAccount(ctx).accountId, jobId }
  notifyJob(ctx, job)
  const outcome = await attempt(ctx, work, jobId)
  const finished = await untilAnswered(() => finishJob(ctx, job, outcome, idempotency))
  // The process that gave the job up meanwhile has failed it with this code.
  if (!finished) return failed(jobId, 'INTERNAL_ERROR', false)
  if (outcome instanceof JobFailure) return failed(jobId, outcome.code, false)
  const { rejection, result } = outcome
  return { jobId, status: 'completed', isProhibited: rejection !== null, result, failure: null, replayed: false }
}

async function attempt<Result>(
  ctx: CompanionContext,
  work: CompanionWork<Result>,
  jobId: string,
): Promise<Decision<Result> | JobFailure> {
  const { timeoutMs } = ctx.companion
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await work.perform({ signal, deadline: performance.now() + timeoutMs })
  } catch (error) {
    const failure = signal.aborted ? new JobFailure('JOB_TIMEOUT', 'the companion took too long') : failureOf(error)
    ctx.log.warn({ jobId, code: failure.code, cause: failure.message }, 'a job failed')
    return failure
  }
}

/** The answer to an earlier request with this key; null where there was none, or its process died. */
async function recall<Result>(
  ctx: CompanionContext,
  request: IdempotentRequest,
): Promise<CompanionView<Result> | null> {
  const jobId = await recallJob(ctx.db.pool, request)
  if (jobId === null) return null
  const { rows } = await ctx.db.pool.query<Recalled<Result>>(
    `select j.status, j.is_prohibited, j.error_code, r.response
     from idempotency_record r join job j on j.id = r.job_id
     where r.account_id = $1 and r.key = $2 and r.job_id = $3`,
    [request.accountId, request.key, jobId],
  )
  const row = rows[0]
  if (row === undefined) return null
  if (row.status === 'failed') return failed(jobId, row.error_code ?? 'INTERNAL_ERROR', true)
  if (row.status === 'completed') {
    const { is_prohibited: isProhibited, response: result } = row
    return { jobId, status: 'completed', isProhibited, result, failure: null, replayed: true }
  }
  if ((await failAbandonedJobs(ctx, jobId)) === 0) throw inProgress()
  return null
}

interface Recalled<Result> {
  status: 'processing' | 'completed' | 'failed'
  is_prohibited: boolean | null
  error_code: JobErrorCode | null
  response: Result | null
}

/** Returns false where another request with the same key was faster. */
function begin(
  ctx: CompanionContext,
  work: CompanionWork<unknown>,
  jobId: string,
  idempotency: IdempotentRequest | null,
): Promise<boolean> {
  const actor = requireAccount(ctx)
  return inTransaction(ctx.db, async (tx) => {
    if (idempotency !== null && !(await rememberJob(tx, idempotency, jobId))) return false
    await tx.query({
      name: 'insert_companion_job',
      text: `insert into job (id, account_id, type, endpoint_key, status, attempt, api_key_id, inputs, created_at, started_at,
               chat_id, media_url, media_kind)
             values ($1, $2, $3, $4, 'processing', 1, $5, '{}', $6, greatest(now(), $6), $7, $8, $9)`,
      values: [
        jobId,
        actor.accountId,
        work.type,
        work.endpointKey,
        actor.kind === 'key' ? actor.apiKeyId : null,
        idTime(jobId),
        work.context.chatId ?? null,
        work.context.mediaUrl ?? null,
        work.context.mediaKind ?? null,
      ],
    })
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
