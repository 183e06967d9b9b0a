import { type Context, requireScope } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import { VOICE_SCOPE } from '../endpoints/voice-endpoint.ts'
import { notFound, unauthorized } from '../errors.ts'
import { isId } from '../id.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { CALLBACK_URL, freezeDelivery } from '../webhooks/freeze-delivery.ts'
import { statesBefore } from './job-states.ts'
import { refundJob } from './refund-job.ts'
import { tellJob } from './tell-job.ts'
import { type VoiceJobView, voiceJob } from './voice-job.ts'

/**
 * Fails an unfinished voice job as JOB_CANCELLED, gives its charge back and freezes its callback. A waiting one never starts; the worker that has one stops
 * its engine. A finished job stays as it is: asking twice, or too late, is no error, and the answer tells what became of it.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts)
 */
export async function cancelJob(ctx: Context, input: { readonly jobId: string }): Promise<VoiceJobView> {
  requireScope(ctx, VOICE_SCOPE)
  const accountId = await ownerOf(ctx, input.jobId)
  const cancelled = await inTransaction(ctx.db, async (tx) => {
    const { rows } = await tx.query<{ callback_url: string | null }>(
      `update job set status = 'failed', completed_at = now(), error_code = 'JOB_CANCELLED', cause = 'cancelled on request'
       where id = $1 and status = any($2::job_status[]) returning ${CALLBACK_URL}`,
      [input.jobId, statesBefore('failed')],
    )
    if (rows[0] === undefined) return false
    await refundJob(tx, input.jobId)
    await ctx.queue.withdraw(tx, input.jobId)
    const url = rows[0].callback_url
    if (url !== null) await freezeDelivery(ctx, tx, { accountId, jobId: input.jobId, kind: 'job' }, url)
    return true
  })
  if (cancelled) {
    ctx.queue.abort(input.jobId)
    ctx.queue.wake(WEBHOOK_KIND)
    tellJob(ctx, { accountId, jobId: input.jobId })
  }
  return voiceJob({ ...ctx, actor: { kind: 'account', accountId, credits: 0n } }, input)
}

/** The account of the job, where the caller may cancel it: its own account's, or for the operator anybody's. */
async function ownerOf(ctx: Context, jobId: string): Promise<string> {
  if (ctx.actor.kind === 'anonymous') throw unauthorized()
  if (!isId('job', jobId)) throw notFound()
  const { rows } = await ctx.db.pool.query<{ account_id: string }>(
    `select account_id from job where id = $1 and type = 'voice'`,
    [jobId],
  )
  const owner = rows[0]?.account_id
  if (owner === undefined || (ctx.actor.kind !== 'system' && ctx.actor.accountId !== owner)) throw notFound()
  return owner
}
