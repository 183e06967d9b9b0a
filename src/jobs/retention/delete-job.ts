import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { notifyAccount } from '../../accounts/notify-account.ts'
import { recordChange } from '../../audit/record-change.ts'
import { inParallel } from '../../concurrency/in-parallel.ts'
import type { Context, Parts } from '../../context/context.ts'
import { inRetriedTransaction, type Tx } from '../../db/database.ts'
import { invalidRequest, jobNotFound, ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { type Each, eachId } from '../each-id.ts'
import { isTerminal } from '../job-states.ts'
import { notifyJob } from '../live/notify-job.ts'

const HAS_NO_DELIVERY = `not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending')`
/** The lock prevents new deliveries; `redeliverWebhook` locks the job, too. */
const LOCK_ERASABLE = `
  select id from job j where id = any($1) and status in ('completed', 'failed') and ${HAS_NO_DELIVERY} for update of j skip locked`
/** A delivery may have been sent again after the first statement began. */
const STILL_ERASABLE = `select id from job j where id = any($1) and ${HAS_NO_DELIVERY}`

const ERASE_DELIVERIES = 'delete from webhook_delivery where job_id = any($1) returning id, job_id as "jobId"'
const ERASE_JOBS = 'delete from job where id = any($1) returning id, account_id as "accountId"'
const TRACES = ['idempotency_record', 'abandoned_attempt', 'heard_attempt', 'job_attempt', 'artifact'] as const
const AT_ONCE = 8
const NOTE = 'update artifact set deleted_at = now() where job_id = any($1) and deleted_at is null'

interface Owned {
  readonly id: string
  readonly accountId: string
}

interface OfJob {
  readonly id: string
  readonly jobId: string
}

interface Erased {
  readonly jobs: readonly Owned[]
  readonly deliveries: readonly OfJob[]
}

type AudioParts = Pick<Parts, 'db' | 'storage'>

/**
 * Deletes an ended job with audio, text and deliveries; the ledger stays. Refuses pending webhooks.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts), INVALID_REQUEST
 */
export async function deleteJob(ctx: Context, input: { readonly jobId: string }): Promise<{ readonly jobId: string }> {
  const { jobId } = input
  if (ctx.actor.kind !== 'system') requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const accountId = await requireErasable(ctx, jobId)
  await deleteAudio(ctx, [jobId])
  const erased = await inRetriedTransaction(ctx.db, accountId, async (tx) => {
    // A purge or a repeated delivery may hold the job.
    await tx.query('select from job where id = $1 for update', [jobId])
    const gone = await eraseJobs(tx, [jobId])
    if (gone.jobs.length > 0) await recordChange(tx, ctx.actor, { action: 'job_deleted', accountId, subjectId: jobId })
    return gone
  })
  if (erased.jobs.length === 0) await requireErasable(ctx, jobId)
  tellErased(ctx, erased)
  return { jobId }
}

/**
 * Deletes up to 100 jobs as `deleteJob` does; each fails alone, and one that was deleted before is NOT_FOUND.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function deleteJobs(
  ctx: Context,
  input: { readonly ids: readonly string[] },
): Promise<Each<{ readonly jobId: string }>[]> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return eachId(ctx, input.ids, (jobId) => deleteJob(ctx, { jobId }))
}

/** Returns the account that the job is of. */
async function requireErasable(ctx: Context, jobId: string): Promise<string> {
  const { job, webhookDelivery } = ctx.db.prisma
  const found = isId('job', jobId)
    ? await job.findUnique({ where: { id: jobId }, select: { accountId: true, status: true } })
    : null
  if (ctx.actor.kind === 'system' && found === null)
    throw new ServiceError('NOT_FOUND', `No job with the id "${jobId}".`)
  if (found === null || (ctx.actor.kind !== 'system' && requireAccount(ctx).accountId !== found.accountId))
    throw jobNotFound()
  if (!isTerminal(found.status))
    throw invalidRequest('Cancel this job first: it has not ended.', [{ path: '/id', message: 'is unfinished' }])
  if ((await webhookDelivery.count({ where: { jobId, state: 'pending' }, take: 1 })) > 0)
    throw invalidRequest('Wait until the webhook of this job has been delivered or has failed, some minutes at most.', [
      { path: '/id', message: 'has a webhook that is still to be delivered' },
    ])
  return found.accountId
}

/** Deletes ended jobs without pending webhooks. The caller runs `tellErased` after the commit. */
export async function eraseJobs(tx: Tx, jobIds: readonly string[]): Promise<Erased> {
  const locked = await tx.query<{ id: string }>(LOCK_ERASABLE, [jobIds])
  const { rows } = await tx.query<{ id: string }>(STILL_ERASABLE, [locked.rows.map(({ id }) => id)])
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { jobs: [], deliveries: [] }
  const deliveries = await tx.query<OfJob>(ERASE_DELIVERIES, [ids])
  for (const table of TRACES) await tx.query(`delete from ${table} where job_id = any($1)`, [ids])
  const jobs = await tx.query<Owned>(ERASE_JOBS, [ids])
  return { jobs: jobs.rows, deliveries: deliveries.rows }
}

export function tellErased(parts: Pick<Parts, 'notifier'>, { jobs, deliveries }: Erased): void {
  const ofJobs = Map.groupBy(deliveries, ({ jobId }) => jobId)
  // Feeds that hear of a job by both channels at once read it once.
  for (const { id: jobId, accountId } of jobs) {
    notifyJob(parts, { accountId, jobId })
    for (const { id } of ofJobs.get(jobId) ?? []) notifyAccount(parts, accountId, id, jobId)
  }
}

/** Deletes all files of these jobs. Files go first, so a repetition after a crash finds the rest. */
export async function deleteAudio({ db, storage }: AudioParts, jobIds: readonly string[]): Promise<void> {
  await inParallel(jobIds, AT_ONCE, (jobId) => storage.deleteBelow(jobId))
  await db.pool.query(NOTE, [jobIds])
}
