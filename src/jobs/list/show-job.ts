import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'
import { type JobView, toView, VIEW_COLUMNS, type ViewRow } from '../job-view.ts'

/** What only the operator sees of a job. */
export interface OperatorJobView extends JobView {
  readonly accountId: string
  readonly attempt: number
  readonly startedAt: Date | null
  /** The internal error; null where nothing did. */
  readonly cause: string | null
}

interface Row extends ViewRow {
  account_id: string
  attempt: number
  started_at: Date | null
  cause: string | null
}

/** Any account's job including the internal error of its failure, for the operator. @throws NOT_FOUND */
export async function showJob(ctx: Context, input: { readonly jobId: string }): Promise<OperatorJobView> {
  requireOperator(ctx)
  const row = isId('job', input.jobId) ? await findRow(ctx, input.jobId) : undefined
  if (row === undefined) throw new ServiceError('NOT_FOUND', `No job with the id "${input.jobId}".`)
  const view = await toView(ctx, row)
  return { ...view, accountId: row.account_id, attempt: row.attempt, startedAt: row.started_at, cause: row.cause }
}

async function findRow(ctx: Context, jobId: string): Promise<Row | undefined> {
  const { rows } = await ctx.db.pool.query<Row>(
    `select ${VIEW_COLUMNS}, j.account_id, j.attempt, j.started_at, j.cause
     from job j left join api_key k on k.id = j.api_key_id where j.id = $1`,
    [jobId],
  )
  return rows[0]
}
