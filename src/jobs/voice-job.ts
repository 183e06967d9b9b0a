import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { findJob } from './find-job.ts'
import type { Job } from './job-shape.ts'

/**
 * One voice job of the caller's account.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function voiceJob(ctx: Context, input: { readonly jobId: string }): Promise<Job> {
  requireScope(ctx, VOICE_SCOPE)
  const accountId = 'accountId' in ctx.actor ? ctx.actor.accountId : null
  const found = accountId === null ? null : await findJob(ctx.db.pool, input.jobId, accountId)
  if (found?.type !== 'voice') throw jobNotFound()
  return found
}
