import { requireScope } from '../../access/require.ts'
import { VOICE_SCOPE } from '../../access/scopes.ts'
import { type JobType, QUEUED_KINDS, queuedKindOf } from '../../catalog/job-kinds.ts'
import type { Context } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { untilAnswered } from '../../db/until-answered.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import { forbidden, jobNotFound, ServiceError, unauthorized } from '../../errors/service-error.ts'
import { forgetJob } from '../../idempotency/remember-response.ts'
import { isId } from '../../values/id.ts'
import { type Each, eachId } from '../each-id.ts'
import { findJob } from '../job.ts'
import type { Job } from '../job-shape.ts'
import { JobFailure } from '../job-states.ts'
import { announceLostEnd, type EndingParts, endJob } from './end-jobs.ts'

/** PostgreSQL may restart within this time. */
const LOST_ANSWER_MS = 5_000

interface Cancellation {
  readonly jobId: string
  readonly forgottenKey?: string | null | undefined
}

/**
 * Fails an unfinished voice or generation job as JOB_CANCELLED and refunds its charge. A finished job stays as it is, without an error.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts)
 */
export async function cancelJob(ctx: Context & EndingParts, input: Cancellation): Promise<Job> {
  const accountId = await ownerOf(ctx, input.jobId)
  const { jobId, forgottenKey: key } = input
  const end = { accountId, jobId, failure: new JobFailure('JOB_CANCELLED', 'cancelled on request') }
  let isWritten = false
  const withdraw = async (tx: Tx): Promise<void> => {
    await ctx.queue.withdraw(tx, jobId)
    if (key != null) await forgetJob(tx, { accountId, key }, jobId)
    isWritten = true
  }
  const ended = await endJob(ctx, { ...end, also: withdraw }).catch(async (error: unknown) => {
    if (!isWritten || !isDatabaseDown(error)) throw error
    // The commit may have succeeded although its answer was lost.
    if (await untilAnswered(() => announceLostEnd(ctx, end), LOST_ANSWER_MS).catch(() => false)) return true
    throw error
  })
  if (ended) ctx.queue.abort(jobId)
  const cancelled = await findJob(ctx.db.pool, jobId, accountId)
  if (cancelled === null) throw jobNotFound()
  return cancelled
}

async function ownerOf(ctx: Context, jobId: string): Promise<string> {
  requireAnyScope(ctx)
  if (!isId('job', jobId)) throw missing(ctx, jobId)
  const { rows } = await ctx.db.pool.query<{ account_id: string; type: JobType }>(
    'select account_id, type from job where id = $1',
    [jobId],
  )
  const { account_id: owner, type } = rows[0] ?? {}
  const scope = type === undefined ? undefined : queuedKindOf(type)?.scope
  if (owner === undefined || scope === undefined || !mayTouch(ctx, owner)) throw missing(ctx, jobId)
  requireScope(ctx, scope)
  return owner
}

/** The same answer for unknown ids and jobs of other accounts. */
const missing = ({ actor }: Context, jobId: string): ServiceError =>
  actor.kind === 'system'
    ? new ServiceError('NOT_FOUND', `No voice or generation job with the id "${jobId}".`)
    : jobNotFound()

/**
 * Runs first, so a key without such a scope learns nothing about ids.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
function requireAnyScope({ actor }: Context): void {
  if (actor.kind === 'anonymous') throw unauthorized()
  if ('scopes' in actor && !QUEUED_KINDS.some(({ scope }) => actor.scopes.includes(scope))) throw forbidden(VOICE_SCOPE)
}

const mayTouch = ({ actor }: Context, owner: string): boolean =>
  actor.kind === 'system' || ('accountId' in actor && actor.accountId === owner)

/**
 * Cancels up to 100 jobs; an unknown id fails alone.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function cancelJobs(
  ctx: Context & EndingParts,
  input: { readonly ids: readonly string[] },
): Promise<Each<Job>[]> {
  requireAnyScope(ctx)
  return eachId(ctx, input.ids, (jobId) => cancelJob(ctx, { jobId }))
}
