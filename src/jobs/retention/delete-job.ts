import { requireAccount, requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../../access/scopes.ts'
import { recordChange } from '../../audit/record-change.ts'
import type { Context } from '../../context/context.ts'
import { inRetriedTransaction } from '../../db/database.ts'
import { invalidRequest, jobNotFound, ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { isTerminal, type JobStatus } from '../job-states.ts'
import { deleteAudio } from './delete-audio.ts'
import { eraseJobs, tellErased } from './erase-jobs.ts'

interface Found {
  readonly account_id: string
  readonly status: JobStatus
  readonly delivers: boolean
}

const FIND = `select account_id, status, exists (
    select from webhook_delivery d where d.job_id = job.id and d.state = 'pending') as delivers from job where id = $1`

/**
 * Deletes an ended job with audio, text and deliveries; the ledger stays. Refuses pending webhooks.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts), INVALID_REQUEST
 */
export async function deleteJob(ctx: Context, input: { readonly jobId: string }): Promise<{ readonly jobId: string }> {
  const { jobId } = input
  if (ctx.actor.kind !== 'system') requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { account_id: accountId } = await requireErasable(ctx, jobId)
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

async function requireErasable(ctx: Context, jobId: string): Promise<Found> {
  const found = isId('job', jobId) ? (await ctx.db.pool.query<Found>(FIND, [jobId])).rows[0] : undefined
  if (ctx.actor.kind === 'system' && found === undefined)
    throw new ServiceError('NOT_FOUND', `No job with the id "${jobId}".`)
  if (found === undefined || (ctx.actor.kind !== 'system' && requireAccount(ctx).accountId !== found.account_id))
    throw jobNotFound()
  if (!isTerminal(found.status))
    throw invalidRequest('Cancel this job first: it has not ended.', [{ path: '/jobId', message: 'is unfinished' }])
  if (found.delivers)
    throw invalidRequest('Wait until the webhook of this job has been delivered or has failed, some minutes at most.', [
      { path: '/jobId', message: 'has a webhook that is still to be delivered' },
    ])
  return found
}
