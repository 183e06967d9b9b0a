import type { Database } from '../../db/database.ts'
import type { Delivery, Origin } from '../job-source.ts'

/** A delivery, and the account whose turn it was. */
interface Claimed extends Delivery {
  readonly accountId: string
}

interface QueueClaim {
  readonly queue: string
  /** At most this many. */
  readonly free: number
  /** The account that was served last: the next one in order comes first. */
  readonly after: string
  readonly workerId: string
  /** At most this many for each server; '' stands for all that are not named, which have no limit without it. */
  readonly limits: ReadonlyMap<string, number>
}

interface Row {
  id: string
  retry_count: number
  job_id: string
  account_id: string
  server: string
  origin: Origin | null
}

/** Takes waiting jobs out of a queue in turn of their accounts: one round trip, whatever the length of the queue. */
export async function claimQueued(db: Database, claim: QueueClaim): Promise<Claimed[]> {
  const { rows } = await db.pool.query<Row>({
    name: 'claim_queued',
    text: 'select id, retry_count, job_id, account_id, server, queued_origin($1, id) as origin from claim_queued($1, $2, $3, $4, $5)',
    values: [claim.queue, claim.free, claim.after, claim.workerId, JSON.stringify(Object.fromEntries(claim.limits))],
  })
  return rows.map((row) => ({
    id: row.id,
    retryCount: row.retry_count,
    jobId: row.job_id,
    accountId: row.account_id,
    server: row.server,
    ...(row.origin !== null && { origin: row.origin }),
  }))
}

const RELEASE = `
  update pgboss.job_common set state = 'retry', start_after = now(), heartbeat_on = null
  where name = $1 and state = 'active' and group_id is not null and data->>'worker' = $2 and id <> all($3::uuid[])`

/** After a claim whose answer was lost: what this worker took without knowing it becomes deliverable again. */
export async function releaseUnknown(
  db: Database,
  claim: { readonly queue: string; readonly workerId: string; readonly known: readonly string[] },
): Promise<void> {
  await db.pool.query(RELEASE, [claim.queue, claim.workerId, claim.known])
}
