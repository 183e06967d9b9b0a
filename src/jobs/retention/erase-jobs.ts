import type { Tx } from '../../db/database.ts'

const HAS_NO_DELIVERY = `not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending')`
/**
 * Jobs that have ended and of whose webhooks none is pending: all others keep their row, however old they are. Locked until the end of
 * the transaction, so that none of them gets a new delivery meanwhile. A delivery that is being sent again holds its job
 * (`redeliverWebhook`).
 */
const LOCK_ERASABLE = `
  select id from job j where id = any($1) and status in ('completed', 'failed') and ${HAS_NO_DELIVERY} for update of j skip locked`
/** Once more, with the rows locked: what was sent again after that statement began, and committed before it came to the row. */
const STILL_ERASABLE = `select id from job j where id = any($1) and ${HAS_NO_DELIVERY}`

/** What is known of the jobs; their files are gone by then. Their entries of the ledger stay: what was written there is never changed. */
const TRACES = [
  'idempotency_record',
  'webhook_delivery',
  'abandoned_attempt',
  'heard_attempt',
  'job_attempt',
  'artifact',
] as const

/**
 * Deletes jobs with all that is known of them but what they cost. Jobs that have not ended, or whose webhook is still to be delivered,
 * stay. Returns the ids of those that are gone.
 */
export async function eraseJobs(tx: Tx, jobIds: readonly string[]): Promise<string[]> {
  const locked = await tx.query<{ id: string }>(LOCK_ERASABLE, [jobIds])
  const { rows } = await tx.query<{ id: string }>(STILL_ERASABLE, [locked.rows.map(({ id }) => id)])
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  for (const table of TRACES) await tx.query(`delete from ${table} where job_id = any($1)`, [ids])
  await tx.query('delete from job where id = any($1)', [ids])
  return ids
}
