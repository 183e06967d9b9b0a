import { notifyAccount } from '../../accounts/notify-account.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { notifyJob } from '../live/notify-job.ts'

const HAS_NO_DELIVERY = `not exists (select from webhook_delivery d where d.job_id = j.id and d.state = 'pending')`
/** The lock prevents new deliveries; `redeliverWebhook` locks the job, too. */
const LOCK_ERASABLE = `
  select id from job j where id = any($1) and status in ('completed', 'failed') and ${HAS_NO_DELIVERY} for update of j skip locked`
/** A delivery may have been sent again after the first statement began. */
const STILL_ERASABLE = `select id from job j where id = any($1) and ${HAS_NO_DELIVERY}`

const TRACES = ['idempotency_record', 'abandoned_attempt', 'heard_attempt', 'job_attempt', 'artifact'] as const

interface Owned {
  readonly id: string
  readonly accountId: string
}

interface Erased {
  readonly jobs: readonly Owned[]
  readonly deliveries: readonly Owned[]
}

/** Deletes ended jobs without pending webhooks. The caller runs `tellErased` after the commit. */
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

export function tellErased(parts: Pick<Parts, 'notifier'>, { jobs, deliveries }: Erased): void {
  for (const { id, accountId } of jobs) notifyJob(parts, { accountId, jobId: id })
  for (const { id, accountId } of deliveries) notifyAccount(parts, accountId, id)
}
