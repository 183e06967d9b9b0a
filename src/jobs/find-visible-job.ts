import { isOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { findJob } from './find-job.ts'
import { job } from './job.ts'
import type { Job } from './job-shape.ts'

/**
 * The operator sees every job, and gets null for an unknown id.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export const findVisibleJob = (ctx: Context, jobId: string): Promise<Job | null> =>
  isOperator(ctx) ? findJob(ctx.db.pool, jobId, null) : job(ctx, { jobId })

/** Internal causes of failures by job id, for the operator only. */
export async function loadCauses({ db }: Context, jobIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ id: string; cause: string }>({
    name: 'job_causes',
    text: 'select id, cause from job where id = any($1) and cause is not null',
    values: [jobIds],
  })
  return new Map(rows.map(({ id, cause }) => [id, cause]))
}
