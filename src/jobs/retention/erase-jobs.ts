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

/**
 * One entry for each account and month takes the place of what the jobs cost and got back, so the balance stays the sum of the ledger.
 * Entries are dated with the beginning of their month. They belong to no job, so they are in the default partition, as their unique index is.
 */
const CARRY_LEDGER = `
  with gone as (
    delete from credit_entry where job_id = any($1) returning account_id, amount, created_at
  )
  insert into credit_entry_default as e (account_id, kind, amount, created_at)
  select account_id, 'carried', sum(amount), date_trunc('month', created_at, 'UTC') from gone
  group by 1, 4 having sum(amount) <> 0 order by 1, 4
  on conflict (account_id, created_at) where kind = 'carried' do update set amount = e.amount + excluded.amount`

/** What is known of the jobs; their files are gone by then. */
const TRACES = [
  'idempotency_record',
  'webhook_delivery',
  'abandoned_attempt',
  'heard_attempt',
  'job_attempt',
  'artifact',
] as const

/**
 * Deletes jobs with all that is known of them, and carries their part of the ledger on. Jobs that have not ended, or whose webhook is
 * still to be delivered, stay. Returns the ids of those that are gone.
 */
export async function eraseJobs(tx: Tx, jobIds: readonly string[]): Promise<string[]> {
  const locked = await tx.query<{ id: string }>(LOCK_ERASABLE, [jobIds])
  const { rows } = await tx.query<{ id: string }>(STILL_ERASABLE, [locked.rows.map(({ id }) => id)])
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  await tx.query(CARRY_LEDGER, [ids])
  for (const table of TRACES) await tx.query(`delete from ${table} where job_id = any($1)`, [ids])
  await tx.query('delete from job where id = any($1)', [ids])
  return ids
}
