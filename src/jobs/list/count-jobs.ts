import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead } from '../../db/connections/long-read.ts'
import { conditionsOf, counterConditions, isCounted, oneOf } from './filter-conditions.ts'
import type { JobsInput } from './jobs.ts'
import { onlyFinished } from './jobs.ts'
import { rejectFilterViolations } from './jobs-filter.ts'

/**
 * How many of the account's jobs match, exactly: from the counters where these know, else one by one.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function countJobs(ctx: Context, input: Pick<JobsInput, 'filter' | 'orderBy'>): Promise<number> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const filter = input.filter ?? {}
  rejectFilterViolations(filter)
  const finished = input.orderBy != null && onlyFinished(input.orderBy)
  const values: unknown[] = [accountId]
  const text = isCounted(filter)
    ? `select coalesce(sum(jobs), 0)::text as total from job_count where ${[
        'account_id = $1',
        ...(finished ? [oneOf('status', ['completed', 'failed'])] : []),
        ...counterConditions(filter),
      ].join(' and ')}`
    : `select count(*)::text as total from job where ${[
        'account_id = $1',
        ...(finished ? ['completed_at is not null'] : []),
        ...conditionsOf(filter, (value) => `$${values.push(value)}`),
      ].join(' and ')}`
  const statement = { text, values }
  const { rows } = isCounted(filter)
    ? await ctx.db.pool.query<{ total: string }>(statement)
    : await longRead<{ total: string }>(ctx.db, accountId, statement)
  return Number(rows[0]?.total ?? 0)
}
