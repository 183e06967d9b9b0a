import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { jobNotFound } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { type JobView, toView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'

/**
 * One job of the caller's account, of any type. Output URLs are signed anew at every read and live 15 minutes.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for jobs of other accounts)
 */
export async function job(ctx: Context, input: { readonly jobId: string }): Promise<JobView> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  if (!isId('job', input.jobId)) throw jobNotFound()
  const { rows } = await ctx.db.pool.query<ViewRow>({
    name: 'job',
    text: `select ${VIEW_COLUMNS} from job j left join api_key k on k.id = j.api_key_id where j.id = $1 and j.account_id = $2`,
    values: [input.jobId, accountId],
  })
  if (rows[0] === undefined) throw jobNotFound()
  return toView(ctx, rows[0])
}
