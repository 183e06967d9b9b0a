import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { type Db, PgBoss } from 'pg-boss'
import type { Database } from '../db/database.ts'
import { withLock } from '../db/lock.ts'
import type { Log } from '../log.ts'

/** A worker that stops sending heartbeats loses its jobs to another one after this long. */
const HEARTBEAT_SECONDS = 10
/** Deliveries that a crash or an unreachable database cost are repeated; the job's own attempt limit ends a poisonous one. */
const RETRY_LIMIT = 1000
const RETRY_DELAY_SECONDS = 1
/** A queued job waits as long as it takes: pg-boss would drop it after 14 days. */
const RETENTION_SECONDS = 365 * 24 * 3600
/** Finished queue rows are of no use to anyone: the job row is what counts. */
const DELETE_AFTER_SECONDS = 60
/** A job's own time limit ends it. This is only longer than any, and than any wait for a turn beforehand: pg-boss itself takes no more than a day. */
const EXPIRE_SECONDS = 30 * 24 * 3600
const NEVER_EXPIRE = 'update pgboss.queue set expire_seconds = $2 where name = $1 and expire_seconds <> $2'
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/**
 * pg-boss on the service's own pool. Its statements are long and always the same, so each is prepared once per connection:
 * planning them anew costs more than running them.
 */
export const bossDatabase = (connection: Pool | PoolClient): Db => ({
  executeSql: (text, values) =>
    values === undefined || values.length === 0
      ? connection.query(text)
      : connection.query({ name: statementName(text), text, values }),
})

/** @param supervise whether this process looks for jobs whose worker died: workers do, the API does not. */
export async function openBoss(db: Database, log: Log, supervise: boolean): Promise<PgBoss> {
  const boss = new PgBoss({
    db: bossDatabase(db.pool),
    schedule: false,
    supervise,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: 60,
  })
  boss.on('error', (error) => log.warn({ err: error.message }, 'the queue could not be maintained'))
  await boss.start()
  await prepareLanes(db)
  return boss
}

const LANES_ARE_READY = `select to_regclass('pgboss.sonant_lanes') is not null as ready`
/**
 * The order in which `claim_queued` takes jobs, and statistics that follow a queue which fills within seconds. pg-boss makes its tables
 * itself, so that none of this can be a migration.
 */
const PREPARE_LANES = `
  create index sonant_lanes on pgboss.job_common (name, group_tier, group_id, created_on)
    where state < 'active' and not blocked;
  alter table pgboss.job_common set (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
  update pgboss.job_common set group_id = coalesce(group_id, '-'), group_tier = coalesce(group_tier, '-')
    where state < 'active' and (group_id is null or group_tier is null)`

async function prepareLanes(db: Database): Promise<void> {
  const ready = async () => (await db.pool.query<{ ready: boolean }>(LANES_ARE_READY)).rows[0]?.ready === true
  if (await ready()) return
  await withLock(db, 'lanes', async () => {
    if (!(await ready())) await db.pool.query(PREPARE_LANES)
  })
}

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

const names = new Map<string, string>()

function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `boss_${createHash('sha1').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
  }
  return name
}
