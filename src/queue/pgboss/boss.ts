import { PgBoss } from 'pg-boss'
import type { Database } from '../../db/database.ts'
import { withLock } from '../../db/lock.ts'
import type { Log } from '../../values/log.ts'
import { bossDatabase } from './boss-database.ts'
import { installClaim } from './install-claim.ts'

const SUPERVISE_SECONDS = 5

/** @param supervise whether this process rescues jobs of dead workers */
export async function openBoss(db: Database, log: Log, supervise: boolean): Promise<PgBoss> {
  const boss = new PgBoss({
    db: bossDatabase(db.pool),
    schedule: false,
    supervise,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 60,
  })
  boss.on('error', (error) => log.warn({ err: error.message }, 'the queue could not be maintained'))
  await boss.start()
  await prepareOrder(db)
  await installClaim(db)
  return boss
}

const ORDER_IS_READY = `
  select to_regclass('pgboss.sonant_turns') is not null and to_regclass('pgboss.sonant_lanes') is null as ready`
/** pg-boss creates its tables itself, so no migration can. Separate transactions prevent a deadlock with waiting ones. */
const PREPARE_ORDER = [
  `create index if not exists sonant_turns on pgboss.job_common (name, group_tier, (priority > 0), group_id, created_on)
    where state < 'active' and not blocked`,
  'drop index if exists pgboss.sonant_lanes',
  'alter table pgboss.job_common set (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02)',
  `update pgboss.job_common set group_id = coalesce(group_id, '-'), group_tier = coalesce(group_tier, '-')
    where state < 'active' and (group_id is null or group_tier is null)`,
]

async function prepareOrder(db: Database): Promise<void> {
  const ready = async () => (await db.pool.query<{ ready: boolean }>(ORDER_IS_READY)).rows[0]?.ready === true
  if (await ready()) return
  await withLock(db, 'lanes', async () => {
    if (!(await ready())) for (const statement of PREPARE_ORDER) await db.pool.query(statement)
  })
}
