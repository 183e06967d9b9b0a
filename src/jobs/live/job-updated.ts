import { job } from '../job.ts'
import type { JobStates } from './followers.ts'
import type { FeedContext } from './job-feed.ts'

/**
 * A job's state now and after changes, until it ends. States may be skipped, except the last.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, RATE_LIMITED
 */
export async function jobUpdated(ctx: FeedContext, input: { readonly jobId: string }): Promise<JobStates> {
  const { id: jobId } = await job(ctx, input)
  return ctx.jobFeed.follow(ctx, { jobId, accepts: () => true })
}
