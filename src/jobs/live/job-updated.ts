import { job } from '../job.ts'
import type { JobStates } from './followers.ts'
import type { FeedContext } from './job-feed.ts'

/**
 * A job's state now and whenever it changes, until it has ended. Changes that come fast may be skipped; the last one never is.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts), RATE_LIMITED
 */
export async function jobUpdated(ctx: FeedContext, input: { readonly jobId: string }): Promise<JobStates> {
  const { id: jobId } = await job(ctx, input)
  return ctx.jobFeed.follow(ctx, { jobId, accepts: () => true })
}
