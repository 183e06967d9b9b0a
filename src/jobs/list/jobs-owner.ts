import { requireAccount, requireOperator, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { findAccount } from '../../accounts/find-account.ts'
import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { Parameter } from './filter-conditions.ts'

/** The account whose jobs are asked for, by id; null: all accounts. */
export type JobsOwner = string | null

/** The conditions on a table's `account_id`; never none, so that others may follow. */
export const ownedBy = (owner: JobsOwner, parameter: Parameter): string[] => [
  owner === null ? 'true' : `account_id = ${parameter(owner)}`,
]

/** Whose share of the reading connections a long read takes. */
export const readerOf = (owner: JobsOwner): string => owner ?? 'operator'

/**
 * The jobs that the operator asks about: of the account of this id or name, or of all.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function operatorsJobs(ctx: Context, account: string | null | undefined): Promise<JobsOwner> {
  requireOperator(ctx)
  return account == null ? null : (await findAccount(ctx, account)).id
}

/** Whose jobs are asked for: the caller's own unless the operator names another account, or all. */
export interface AskedJobs {
  /** Id or name. */
  readonly account?: string | null | undefined
  readonly all?: boolean | null | undefined
}

/**
 * The caller's own account, or for the operator the one that is named, or all.
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
