import { requireOperator } from '../../access/require.ts'
import { findAccount } from '../../accounts/find-account.ts'
import type { Context } from '../../context/context.ts'
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
