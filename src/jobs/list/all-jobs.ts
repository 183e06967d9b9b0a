import type { Context } from '../../context/context.ts'
import type { Connection } from '../../db/page.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Job } from '../job-shape.ts'
import { totalOfJobs } from './count-jobs.ts'
import { type JobsInput, onlyFinished, readJobs } from './jobs.ts'
import { operatorsJobs } from './jobs-owner.ts'

export interface AllJobsInput extends JobsInput {
  readonly account?: string | null | undefined
}

export interface CountedJobs extends Connection<Job> {
  count(): Promise<number>
}

/**
 * A page of one or all accounts' jobs, for the operator. Without an account, no index orders jobs by their end.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED
 */
export async function allJobs(ctx: Context, input: AllJobsInput): Promise<CountedJobs> {
  const owner = await operatorsJobs(ctx, input.account)
  if (owner === null && input.orderBy != null && onlyFinished(input.orderBy)) {
    const details = [{ path: '/orderBy/field', message: 'must be CREATED_AT without an account' }]
    throw invalidRequest('Name an account, or order by CREATED_AT.', details)
  }
  return { ...(await readJobs(ctx, owner, input)), count: () => totalOfJobs(ctx, owner, input) }
}
