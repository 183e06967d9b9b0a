import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PgBoss } from 'pg-boss'
import type { Database } from '../../db/database.ts'
import { withLock } from '../../db/lock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { bossDatabase } from './boss-database.ts'

const SUPERVISE_SECONDS = 5
const SOURCE = new URL('claim_queued.sql', import.meta.url)
const SIGNATURE = 'claim_queued(text, integer, text, text, jsonb)'
const RECORDED = `select obj_description(to_regprocedure('${SIGNATURE}'), 'pg_proc') as version`
const INSUFFICIENT_PRIVILEGE = '42501'

interface Version {
  readonly revision: number
  readonly hash: string
}

/** @param supervise whether pg-boss in this process deletes old rows and redelivers jobs without a heartbeat */
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
  select to_regclass('pgboss.sonant_turns') is not null and to_regclass('pgboss.sonant_lanes') is null
    and to_regclass('pgboss.sonant_within_limits') is not null and to_regclass('pgboss.sonant_due') is not null
    and to_regclass('pgboss.sonant_put_back') is not null as ready`
/** pg-boss creates its tables itself, so no migration can. Separate transactions prevent a deadlock with waiting ones. */
const PREPARE_ORDER = [
  `create index if not exists sonant_turns on pgboss.job_common (name, group_tier, (priority > 0), group_id, created_on)
    where state < 'active' and not blocked`,
  // Waiting jobs that a worker had, and those of keys that had reached their limit.
  `create index if not exists sonant_within_limits on pgboss.job_common (name, group_id)
    where state < 'active' and not blocked and (data ? 'worker' or strpos(group_id, '/') > 0)`,
  `create index if not exists sonant_due on pgboss.job_common (name, start_after) where state < 'active' and not blocked`,
  `create index if not exists sonant_put_back on pgboss.job_common (name, created_on) where state = 'retry' and not blocked`,
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

/**
 * Installs claim_queued.sql, unless the database has it or a newer one.
 * @throws UNAVAILABLE if the role may not replace it
 */
export async function installClaim(db: Database): Promise<void> {
  const text = await readFile(SOURCE, 'utf8')
  const version = versionOf(text)
  if (covers(await readRecorded(db), version)) return
  await withLock(db, 'claim_queued', async () => {
    if (!covers(await readRecorded(db), version)) await replace(db, text, version)
  })
}

function versionOf(text: string): Version {
  const revision = Number(/^-- Revision (\d+)\./.exec(text)?.[1])
  return { revision, hash: createHash('sha256').update(text).digest('hex') }
}

async function readRecorded(db: Database): Promise<Version | null> {
  const { rows } = await db.pool.query<{ version: string | null }>(RECORDED)
  const [, revision, hash] = /^revision (\d+), sha256 ([0-9a-f]{64})$/.exec(rows[0]?.version ?? '') ?? []
  return revision === undefined || hash === undefined ? null : { revision: Number(revision), hash }
}

const covers = (recorded: Version | null, { revision, hash }: Version): boolean =>
  recorded !== null && (recorded.revision > revision || recorded.hash === hash)

async function replace(db: Database, text: string, { revision, hash }: Version): Promise<void> {
  try {
    await db.pool.query(`${text}\ncomment on function ${SIGNATURE} is 'revision ${revision}, sha256 ${hash}'`)
  } catch (error) {
    if (errorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const message =
      'Start once with the role that owns the database function claim_queued: the present role may not replace it.'
    throw new ServiceError('UNAVAILABLE', message, { cause: error })
  }
}
