import type { Database } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { MAX_CREDITS } from './accounts.ts'

const USED = `select owner_id as id, sum(credits)::float8 as credits from monthly_usage
  where owner_id = any($1) and month = usage_month(now()) group by owner_id`

/** SQL: credits that the monthly limit of a row of `account` or `api_key` leaves; null without a limit. May be negative. */
export const allowanceOf = (row: string): string => `
  case when ${row}.monthly_limit is not null then ${row}.monthly_limit - coalesce(
    (select sum(u.credits)::bigint from monthly_usage u where u.owner_id = ${row}.id and u.month = usage_month(now())), 0) end`

/**
 * Credits of the jobs that accounts or keys submitted since the month began in UTC, without those that failed.
 * @param ids those that used none are left out of the result
 */
export async function usedThisMonth(
  { db }: { readonly db: Pick<Database, 'readPool'> },
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.readPool.query<{ id: string; credits: number }>(USED, [ids])
  return new Map(rows.map(({ id, credits }) => [id, credits]))
}

/** Share of a monthly limit that is used, which warns from 0.8 on; null without a limit. A limit of 0 is used up. */
export const shareOfLimit = (used: number, limit: bigint | null): number | null =>
  limit === null ? null : limit === 0n ? 1 : Math.max(0, used / Number(limit))

/** @throws INVALID_REQUEST unless a limit is null, or a whole number of credits */
export function checkMonthlyLimit(limit: number | null | undefined): bigint | null | undefined {
  if (limit == null) return limit
  if (Number.isSafeInteger(limit) && limit >= 0 && BigInt(limit) <= MAX_CREDITS) return BigInt(limit)
  const message = `must be a whole number from 0 to ${MAX_CREDITS}`
  throw invalidRequest('Give a monthly limit in whole credits.', [{ path: '/monthlyLimit', message }])
}
