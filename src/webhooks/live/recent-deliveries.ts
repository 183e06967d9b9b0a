import type { Database } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'

const MAX_PENDING = 100
const MAX_NEWEST = 1000

/**
 * The ids of an account's deliveries that a subscriber should hear of without waiting for their next change: of the newest thousand, those
 * that are pending, a hundred at most, and those that ended since. Oldest first.
 */
export async function recentDeliveries(db: Database, accountId: string, endedSince: Date | null): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: 'recent_deliveries',
    text: `
      with newest as materialized (
        select id, state, finished_at from webhook_delivery where ${ofAccount('$1')} order by ${idsOfAccount('desc')} limit ${MAX_NEWEST}
      )
      (select id from newest where state = 'pending' order by id desc limit ${MAX_PENDING})
      union (select id from newest where finished_at >= $2::timestamptz) order by id`,
    values: [accountId, endedSince],
  })
  return rows.map(({ id }) => id)
}
