import { isOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { findJob } from './find-job.ts'
import { job } from './job.ts'
import type { Job } from './job-shape.ts'

/**
 * A job by its id: for the operator of any account, for others as `job` has it. null where there is none.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts)
 */
export const findVisibleJob = (ctx: Context, jobId: string): Promise<Job | null> =>
  isOperator(ctx) ? findJob(ctx.db.pool, jobId, null) : job(ctx, { jobId })

/**
 * Why these jobs really failed, by id: for the operator alone. None for jobs that did not. In SQL and prepared: each page of an operator's
 * list asks it.
 */
export async function loadCauses({ db }: Context, jobIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ id: string; cause: string }>({
    name: 'job_causes',
    text: 'select id, cause from job where id = any($1) and cause is not null',
    values: [jobIds],
  })
  return new Map(rows.map(({ id, cause }) => [id, cause]))
}
