import type { Context } from '../../context/context.ts'
import type { Job } from '../job-shape.ts'
import { cancelJob, requireAnyScope } from '../lifecycle/cancel-job.ts'
import type { EndingParts } from '../lifecycle/job-end.ts'
import { type Each, eachId } from './each-id.ts'

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
