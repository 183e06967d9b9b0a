import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Parts } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { tryLock } from '../../db/lock.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { lockUnqueued, type QueuedRows } from '../../queue/lock-unqueued.ts'
import { BODY_KEPT_SECONDS, concurrencyKeyOf, KEPT_DAYS } from './webhook-delivery.ts'

/** So many rows a statement: a purge must not hold the database up. */
const PAGE_ROWS = 5000
/** Deliveries that are due for longer than this are either in the queue or lost to it. */
const ORPHANED_AFTER = `interval '60 seconds'`
/** One process at a time: of two, each would queue what the other has not committed yet. */
const RESCUE_LOCK = 7_242_007

/**
 * The conditions stand twice: what was sent again between the search and the write stays. Ids come as an array, and sorted, so that the
 * planner finds them by index however small their share of the table is.
 */
const PURGE_BODIES = `
  update webhook_delivery set body = null where finished_at < now() - make_interval(secs => $1) and id = any(array(
    select id from webhook_delivery
    where finished_at < now() - make_interval(secs => $1) and body is not null order by finished_at limit ${PAGE_ROWS}))`
const PURGE_DELIVERIES = `
  delete from webhook_delivery where finished_at < now() - make_interval(days => $1) and id = any(array(
    select id from webhook_delivery
    where finished_at < now() - make_interval(days => $1) order by finished_at limit ${PAGE_ROWS}))
  returning id, account_id as "accountId"`

const OVERDUE: QueuedRows = {
  table: 'webhook_delivery',
  columns: 'id, account_id, url',
  condition: `state = 'pending' and next_attempt_at < now() - ${ORPHANED_AFTER}`,
}

interface Overdue {
  readonly id: string
  readonly account_id: string
  readonly url: string
}

/**
 * Erases secrets that no longer sign, bodies that no attempt can need, and deliveries that ended 30 days ago, with their attempts; queues
 * deliveries again whose queue row is gone. Any number of processes may do this at once.
 */
export async function tidyWebhooks(parts: Pick<Parts, 'db' | 'queue' | 'notifier'>): Promise<void> {
  const { pool } = parts.db
  await pool.query('delete from webhook_secret where expires_at <= now()')
  await paged(() => pool.query(PURGE_BODIES, [BODY_KEPT_SECONDS]))
  await paged(async () => {
    const { rows } = await pool.query<{ id: string; accountId: string }>(PURGE_DELIVERIES, [KEPT_DAYS])
    for (const { id, accountId } of rows) notifyAccount(parts, accountId, id)
    return { rowCount: rows.length }
  })
  let last: string | undefined
  do last = await rescueOrphaned(parts, last)
  while (last !== undefined)
}

async function paged(statement: () => Promise<{ rowCount: number | null }>): Promise<void> {
  for (let rows = PAGE_ROWS; rows >= PAGE_ROWS; ) rows = (await statement()).rowCount ?? 0
}

/** Queues a page of lost deliveries again. Returns the last of them where more may follow; none where another process does this now. */
async function rescueOrphaned(parts: Pick<Parts, 'db' | 'queue'>, after?: string): Promise<string | undefined> {
  return inTransaction(parts.db, async (tx) => {
    if (!(await tryLock(tx, RESCUE_LOCK))) return undefined
    const { rows, last } = await lockUnqueued<Overdue>(tx, parts.queue, OVERDUE, after)
    for (const { id, account_id, url } of rows) {
      await parts.queue.enqueueAgain(tx, WEBHOOK_KIND, id, { concurrencyKey: concurrencyKeyOf(account_id, url) })
    }
    return last
  })
}
