import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import type { OperatorJob } from '../list/show-job.ts'
import { attemptsOf, type JobAttempt } from './attempts-of.ts'
import { loadAttempts } from './load-attempts.ts'

/**
 * A job's attempts with their internal causes.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function showAttempts(ctx: Context, job: OperatorJob): Promise<JobAttempt[]> {
  requireOperator(ctx)
  const stored = (await loadAttempts(ctx, [job.id])).get(job.id) ?? []
  return attemptsOf(job, stored).map((one) => (one.hasFailedJob ? { ...one, cause: job.cause } : one))
}
