import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { findJob } from './find-job.ts'
import type { Job } from './job-shape.ts'

/**
 * One job of the caller's account.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function job(ctx: Context, input: { readonly jobId: string }): Promise<Job> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const found = await findJob(ctx.db.pool, input.jobId, accountId)
  if (found === null) throw jobNotFound()
  return found
}
