import type { Database } from '../../db/database.ts'
import { idsOfAccount, ofAccount } from '../../db/own/own-rows.ts'

const MAX_PENDING = 100
const MAX_NEWEST = 1000

/** Finds up to a hundred pending deliveries and those ended since, among the newest thousand. Oldest first. */
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
