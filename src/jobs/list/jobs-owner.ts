import { requireAccount, requireOperator, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { findAccount } from '../../accounts/find-account.ts'
import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Parameter } from './filter-conditions.ts'

/** Account id; null: all accounts. */
export type JobsOwner = string | null

export const ownedBy = (owner: JobsOwner, parameter: Parameter): string[] => [
  owner === null ? 'true' : `account_id = ${parameter(owner)}`,
]

export const readerOf = (owner: JobsOwner): string => owner ?? 'operator'

/**
 * The account of this id or name, or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function operatorsJobs(ctx: Context, account: string | null | undefined): Promise<JobsOwner> {
  requireOperator(ctx)
  return account == null ? null : (await findAccount(ctx, account)).id
}

export interface AskedJobs {
  readonly account?: string | null | undefined
  readonly all?: boolean | null | undefined
}

/**
 * The caller's own account; the operator may name another, or all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST with both
 */
export async function askedJobs(ctx: Context, { account, all }: AskedJobs): Promise<JobsOwner> {
  if (account == null && all !== true) {
    requireScope(ctx, JOB_READ_SCOPE)
    return requireAccount(ctx).accountId
  }
  if (account != null && all === true) {
    const details = [{ path: '/all', message: 'must be false with an account' }]
    throw invalidRequest('Name an account, or ask for all.', details)
  }
  return operatorsJobs(ctx, account)
}
