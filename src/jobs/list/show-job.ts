import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { JOB_COLUMNS, JOB_TABLES, type Job } from '../job-shape.ts'

export interface OperatorJob extends Job {
  readonly cause: string | null
}

/**
 * Any account's job with its internal error.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function showJob(ctx: Context, input: { readonly jobId: string }): Promise<OperatorJob> {
  requireOperator(ctx)
  const found = isId('job', input.jobId) ? await findOperatorJob(ctx, input.jobId) : undefined
  if (found === undefined) throw new ServiceError('NOT_FOUND', `No job with the id "${input.jobId}".`)
  return found
}

async function findOperatorJob({ db }: Context, jobId: string): Promise<OperatorJob | undefined> {
  const { rows } = await db.pool.query<OperatorJob>(
    `select ${JOB_COLUMNS}, j.cause from ${JOB_TABLES} where j.id = $1`,
    [jobId],
  )
  return rows[0]
}
