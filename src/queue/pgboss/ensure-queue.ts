import type { PgBoss } from 'pg-boss'

/** A worker that stops sending heartbeats loses its jobs to another one after this long. */
const HEARTBEAT_SECONDS = 10
/** Deliveries that a crash or an unreachable database cost are repeated; the job's own attempt limit ends a poisonous one. */
const RETRY_LIMIT = 1000
const RETRY_DELAY_SECONDS = 1
/** A queued job waits as long as it takes: pg-boss would drop it after 14 days. */
const RETENTION_SECONDS = 365 * 24 * 3600
/** Finished queue rows are of no use to anyone: the job row is what counts. */
const DELETE_AFTER_SECONDS = 60
/** A job's own time limit ends it. This is only longer than any, and than any wait for capacity beforehand: pg-boss itself takes no more than a day. */
const EXPIRE_SECONDS = 30 * 24 * 3600
const NEVER_EXPIRE = 'update pgboss.queue set expire_seconds = $2 where name = $1 and expire_seconds <> $2'
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** Makes a queue where it is missing, with the limits that every queue here has. */
export async function ensureQueue(boss: PgBoss, queue: string): Promise<void> {
  await boss.createQueue(queue, {
    retryLimit: RETRY_LIMIT,
    retryDelay: RETRY_DELAY_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retentionSeconds: RETENTION_SECONDS,
    deleteAfterSeconds: DELETE_AFTER_SECONDS,
  })
  await boss.getDb().executeSql(NEVER_EXPIRE, [queue, EXPIRE_SECONDS])
  // Creating a queue drops pg-boss's memory of it, and the first `send` would ask for it on a connection of its own: twenty of them
  // at once, each inside a transaction, would wait for each other for ever. Any read brings it back.
  await boss.findJobs(queue, { id: NO_JOB })
}
