import type { Database } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'

const MOST = 2 ** 31 - 1

const RUNNING = `select owner.id, count(*)::integer as jobs from job j cross join lateral (values (j.account_id), (j.api_key_id)) as owner (id)
  where j.status = 'processing' and j.type in ('voice', 'generate') and owner.id = any($1) group by owner.id`

/**
 * Jobs of accounts or keys that workers perform.
 * @param ids those that have none are left out of the result
 */
export async function runningNow(
  { db }: { readonly db: Pick<Database, 'readPool'> },
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.readPool.query<{ id: string; jobs: number }>(RUNNING, [ids])
  return new Map(rows.map(({ id, jobs }) => [id, jobs]))
}

/** @throws INVALID_REQUEST unless a limit is null, or a whole number of jobs */
export function checkMaxRunning(limit: number | null | undefined): number | null | undefined {
  if (limit == null || (Number.isSafeInteger(limit) && limit >= 1 && limit <= MOST)) return limit
  const message = `must be a whole number from 1 to ${MOST}`
  throw invalidRequest('Let one job or more run at once.', [{ path: '/maxRunning', message }])
}

interface Limits {
  readonly monthlyLimit: bigint | null
  readonly maxRunning: number | null
}

/** For the record of changes. */
export const limitsInWords = ({ monthlyLimit, maxRunning }: Limits): string[] => [
  ...(monthlyLimit === null ? [] : [`monthly limit ${monthlyLimit}`]),
  ...(maxRunning === null ? [] : [`at most ${maxRunning} running`]),
]
