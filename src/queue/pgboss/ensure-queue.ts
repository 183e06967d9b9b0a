import type { PgBoss } from 'pg-boss'

const HEARTBEAT_SECONDS = 10
const RETRY_LIMIT = 1000
const RETRY_DELAY_SECONDS = 1
/** pg-boss would delete a waiting job after 14 days. */
const RETENTION_SECONDS = 365 * 24 * 3600
const DELETE_AFTER_SECONDS = 60
/** Longer than any job's own time limit. */
const EXPIRE_SECONDS = 30 * 24 * 3600
const NEVER_EXPIRE = 'update pgboss.queue set expire_seconds = $2 where name = $1 and expire_seconds <> $2'
const NO_JOB = '00000000-0000-0000-0000-000000000000'

export async function ensureQueue(boss: PgBoss, queue: string): Promise<void> {
  await boss.createQueue(queue, {
    retryLimit: RETRY_LIMIT,
    retryDelay: RETRY_DELAY_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retentionSeconds: RETENTION_SECONDS,
    deleteAfterSeconds: DELETE_AFTER_SECONDS,
  })
  await boss.getDb().executeSql(NEVER_EXPIRE, [queue, EXPIRE_SECONDS])
  // Creating a queue empties pg-boss's cache; concurrent `send`s in transactions would then wait for connections for ever.
  await boss.findJobs(queue, { id: NO_JOB })
}
