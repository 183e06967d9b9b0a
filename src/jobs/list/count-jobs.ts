import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { longRead, longScan } from '../../db/connections/long-read.ts'
import type { JobStatus } from '../job-states.ts'
import { isRolledUp } from '../rollup/rollup-source.ts'
import { closeJobWindow } from './close-job-window.ts'
import { isCounted } from './filter-conditions.ts'
import { totalOf } from './job-total.ts'
import type { JobsInput } from './jobs.ts'
import { onlyFinished } from './jobs.ts'
import { rejectFilterViolations } from './jobs-filter.ts'
import { type JobsOwner, readerOf } from './jobs-owner.ts'

const ENDED: readonly JobStatus[] = ['completed', 'failed']

/**
 * The exact number of matching jobs.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST, RATE_LIMITED
 */
export async function countJobs(ctx: Context, input: Pick<JobsInput, 'filter' | 'orderBy'>): Promise<number> {
  requireScope(ctx, JOB_READ_SCOPE)
  return totalOfJobs(ctx, requireAccount(ctx).accountId, input)
}

/**
 * The caller has authorised the access.
 * @throws INVALID_REQUEST, RATE_LIMITED
 */
export async function totalOfJobs(
  ctx: Context,
  owner: JobsOwner,
  input: Pick<JobsInput, 'filter' | 'orderBy'>,
): Promise<number> {
  const filter = input.filter ?? {}
  rejectFilterViolations(filter)
  await closeJobWindow(ctx, owner, filter)
  const statuses = statusesOf(input)
  if (statuses?.length === 0) return 0
  const values: unknown[] = []
  const total = totalOf(owner, { ...filter, statuses }, (value) => `$${values.push(value)}`)
  const text = `select t.total::text from (select ${total}) t (total)`
  const readBy = isRolledUp(filter) ? longRead : longScan
  const { rows } = isCounted(filter)
    ? await ctx.db.pool.query<{ total: string }>(text, values)
    : await readBy<{ total: string }>(ctx.db, readerOf(owner), { text, values })
  return Number(rows[0]?.total ?? 0)
}

function statusesOf({
  filter,
  orderBy,
}: Pick<JobsInput, 'filter' | 'orderBy'>): readonly JobStatus[] | null | undefined {
  if (orderBy == null || !onlyFinished(orderBy)) return filter?.statuses
  return ENDED.filter((status) => filter?.statuses?.includes(status) ?? true)
}
