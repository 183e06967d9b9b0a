import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { notifyJob } from '../live/notify-job.ts'

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

/** The tables that hold rows of a job. The ledger is append-only and keeps its entries. */
const TRACES = ['idempotency_record', 'abandoned_attempt', 'heard_attempt', 'job_attempt', 'artifact'] as const

interface Owned {
  readonly id: string
  readonly accountId: string
}

/** The deleted jobs and deliveries. */
interface Erased {
  readonly jobs: readonly Owned[]
  readonly deliveries: readonly Owned[]
}

/**
 * Deletes jobs with all that is known of them but what they cost. Jobs that have not ended, or whose webhook is still to be delivered,
 * stay. After the commit `tellErased` is due.
 */
export async function eraseJobs(tx: Tx, jobIds: readonly string[]): Promise<Erased> {
  const locked = await tx.query<{ id: string }>(LOCK_ERASABLE, [jobIds])
  const { rows } = await tx.query<{ id: string }>(STILL_ERASABLE, [locked.rows.map(({ id }) => id)])
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { jobs: [], deliveries: [] }
  const erase = async (sql: string) =>
    (await tx.query<Owned>(`${sql} returning id, account_id as "accountId"`, [ids])).rows
  const deliveries = await erase('delete from webhook_delivery where job_id = any($1)')
  for (const table of TRACES) await tx.query(`delete from ${table} where job_id = any($1)`, [ids])
  return { jobs: await erase('delete from job where id = any($1)'), deliveries }
}

/** Tells those who follow them that they are gone. */
export function tellErased(parts: Pick<Parts, 'notifier'>, { jobs, deliveries }: Erased): void {
  for (const { id, accountId } of jobs) notifyJob(parts, { accountId, jobId: id })
  for (const { id, accountId } of deliveries) notifyAccount(parts, accountId, id)
}
