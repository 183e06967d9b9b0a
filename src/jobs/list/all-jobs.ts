import type { Context } from '../../context/context.ts'
import type { Connection } from '../../db/page.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Job } from '../job-shape.ts'
import { totalOfJobs } from './count-jobs.ts'
import { type JobsInput, onlyFinished, readJobs } from './jobs.ts'
import { operatorsJobs } from './jobs-owner.ts'

/** A page of any account's jobs. */
export interface AllJobsInput extends JobsInput {
  /** Id or name; all accounts unless given. */
  readonly account?: string | null | undefined
}

/** A page, and how many jobs match in all where that is asked for. */
export interface CountedJobs extends Connection<Job> {
  count(): Promise<number>
}

/**
 * A page of the jobs of all accounts, or of the one that is named, for the operator. Over all accounts no index leads to the order of their
 * ends: there they come by their acceptance.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, INVALID_REQUEST, RATE_LIMITED where its own reads take too long
 */
export async function allJobs(ctx: Context, input: AllJobsInput): Promise<CountedJobs> {
  const owner = await operatorsJobs(ctx, input.account)
  if (owner === null && input.orderBy != null && onlyFinished(input.orderBy)) {
    const details = [{ path: '/orderBy/field', message: 'must be CREATED_AT without an account' }]
    throw invalidRequest('Name an account, or order by CREATED_AT.', details)
  }
  return { ...(await readJobs(ctx, owner, input)), count: () => totalOfJobs(ctx, owner, input) }
}
