import type { Pool } from 'pg'
import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Parts } from '../../context/context.ts'
import { inTransaction } from '../../db/database.ts'
import { foldCounts } from '../../db/fold-counts.ts'
import { tryLock } from '../../db/lock.ts'
import { WEBHOOK_KIND } from '../../queue/job-kind.ts'
import { lockUnqueued, type QueuedRows } from '../../queue/lock-unqueued.ts'
import { BODY_KEPT_SECONDS, concurrencyKeyOf, KEPT_DAYS } from './webhook-delivery.ts'

const PAGE_ROWS = 5000
const ORPHANED_AFTER = `interval '60 seconds'`
/** Two processes would queue the same delivery twice. */
const RESCUE_LOCK = 7_242_007

/** The update repeats the condition, so a delivery redelivered meanwhile keeps its body. */
const PURGE_BODIES = `
  update webhook_delivery set body = null where finished_at < now() - make_interval(secs => $1) and id = any(array(
    select id from webhook_delivery
    where finished_at < now() - make_interval(secs => $1) and body is not null order by finished_at limit ${PAGE_ROWS}))`
const PURGE_DELIVERIES = `
  delete from webhook_delivery where finished_at < now() - make_interval(days => $1) and id = any(array(
    select id from webhook_delivery
    where finished_at < now() - make_interval(days => $1) order by finished_at limit ${PAGE_ROWS}))
  returning id, account_id as "accountId", case kind when 'job' then job_id end as "jobId"`

const OVERDUE: QueuedRows = {
  table: 'webhook_delivery',
  columns: 'id, account_id, url',
  condition: `state = 'pending' and next_attempt_at < now() - ${ORPHANED_AFTER}`,
}

interface Purged {
  readonly id: string
  readonly accountId: string
  readonly jobId: string | null
}

interface Overdue {
  readonly id: string
  readonly account_id: string
  readonly url: string
}

/**
 * Erases expired secrets, unneeded bodies and old deliveries; requeues deliveries whose queue row is lost. Safe to run
 * in several processes.
 */
export async function tidyWebhooks(parts: Pick<Parts, 'db' | 'queue' | 'notifier' | 'now'>): Promise<void> {
  const { pool } = parts.db
  await parts.db.prisma.webhookSecret.deleteMany({ where: { expiresAt: { lte: parts.now() } } })
  await paged(() => pool.query(PURGE_BODIES, [BODY_KEPT_SECONDS]))
  await paged(async () => {
    const { rows } = await pool.query<Purged>(PURGE_DELIVERIES, [KEPT_DAYS])
    for (const { id, accountId, jobId } of rows) notifyAccount(parts, accountId, id, jobId)
    return { rowCount: rows.length }
  })
  let last: string | undefined
  do last = await rescueOrphaned(parts, last)
  while (last !== undefined)
}

async function paged(statement: () => Promise<{ rowCount: number | null }>): Promise<void> {
  for (let rows = PAGE_ROWS; rows >= PAGE_ROWS; ) rows = (await statement()).rowCount ?? 0
}

async function rescueOrphaned(parts: Pick<Parts, 'db' | 'queue'>, after?: string): Promise<string | undefined> {
  return inTransaction(parts.db, async (tx) => {
    if (!(await tryLock(tx, RESCUE_LOCK))) return undefined
    const { rows, last } = await lockUnqueued<Overdue>(tx, parts.queue, OVERDUE, after)
    const jobs = rows.map(({ id, account_id, url }) => ({ id, concurrencyKey: concurrencyKeyOf(account_id, url) }))
    await parts.queue.enqueue(tx, WEBHOOK_KIND, jobs)
    return last
  })
}

export const foldDeliveryCounts = (db: Pool): Promise<void> =>
  foldCounts(db, { table: 'webhook_delivery_count', key: ['account_id', 'state'], sum: 'deliveries' })
