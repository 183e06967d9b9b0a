import type { Parts } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import { WEBHOOK_KIND } from '../queue/job-kind.ts'
import { BODY_KEPT_SECONDS, KEPT_DAYS, laneOf } from './webhook-delivery.ts'

/** So many rows a statement: a purge must not hold the database up. */
const PAGE_ROWS = 5000
/** Deliveries that are due for longer than this are either in the queue or lost to it. */
const LOST_AFTER = `interval '60 seconds'`

/**
 * Erases secrets that no longer sign, bodies that no attempt can need, and deliveries older than 30 days; queues deliveries again whose
 * place in the queue is gone. Any number of processes may do this at once.
 */
export async function tidyWebhooks(parts: Pick<Parts, 'db' | 'queue'>): Promise<void> {
  const { pool } = parts.db
  await pool.query('delete from webhook_secret where expires_at <= now()')
  await paged(() =>
    pool.query(
      `update webhook_delivery set body = null where id in (
         select id from webhook_delivery
         where body is not null and state <> 'pending' and finished_at < now() - make_interval(secs => $1) limit ${PAGE_ROWS})`,
      [BODY_KEPT_SECONDS],
    ),
  )
  await paged(() =>
    pool.query(
      `delete from webhook_delivery where id in (
         select id from webhook_delivery
         where state <> 'pending' and created_at < now() - make_interval(days => $1) limit ${PAGE_ROWS})`,
      [KEPT_DAYS],
    ),
  )
  await requeueLost(parts)
}

async function paged(statement: () => Promise<{ rowCount: number | null }>): Promise<void> {
  for (let rows = PAGE_ROWS; rows >= PAGE_ROWS; ) rows = (await statement()).rowCount ?? 0
}

async function requeueLost(parts: Pick<Parts, 'db' | 'queue'>): Promise<void> {
  await inTransaction(parts.db, async (tx) => {
    const { rows } = await tx.query<{ id: string; account_id: string; url: string }>(
      `select id, account_id, url from webhook_delivery
       where state = 'pending' and next_attempt_at < now() - ${LOST_AFTER} order by next_attempt_at limit ${PAGE_ROWS}`,
    )
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    const lost = new Set(await parts.queue.unqueued(tx, ids))
    for (const { id, account_id, url } of rows.filter((row) => lost.has(row.id))) {
      await parts.queue.enqueueAgain(tx, WEBHOOK_KIND, id, { lane: laneOf(account_id, url) })
    }
  })
}
