import type { Context } from '../context/context.ts'
import { BACKUP } from '../db/snapshot.ts'
import { boundBegun, MOST_JOBS } from '../jobs/partitions/keep-partitions.ts'
import { newestOf, readPartitions } from '../jobs/partitions/partitions.ts'
import { idTime } from '../values/id.ts'
import { type Check, error, orOk, warning } from './finding.ts'

const INVALID_INDEXES = `
  select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
  where not i.indisvalid and n.nspname in (current_schema(), 'pgboss') order by 1`

export const indexCheck: Check<Context> = {
  check: 'indexes',
  run: async ({ db }) => {
    const { rows } = await db.pool.query<{ name: string }>(INVALID_INDEXES)
    const invalid = rows.map(({ name }) => error(`${name} is invalid`, `REINDEX INDEX CONCURRENTLY ${name}`))
    return orOk(invalid, 'all are valid')
  },
}

const DEAD_ROWS = 100_000
const TABLES = `
  select relid::regclass::text as name, n_dead_tup::float8 as dead from pg_stat_user_tables
  where n_dead_tup > $1 and n_dead_tup > n_live_tup / 2 order by 2 desc`
/** Each row: a holder that has kept dead rows from removal for over an hour. */
const HOLDERS = `
  select case when application_name = $1 then 'a backup'
      else 'a transaction of ' || coalesce(nullif(application_name, ''), usename, 'another role') end || ', process ' || pid as what,
    extract(epoch from now() - xact_start)::float8 as seconds, application_name = $1 as "isBackup"
  from pg_stat_activity where datname = current_database() and xact_start < now() - interval '1 hour' and pid <> pg_backend_pid()
  union all
  select 'the prepared transaction ' || gid, extract(epoch from now() - prepared)::float8, false
  from pg_prepared_xacts where database = current_database() and prepared < now() - interval '1 hour'`
const IDLE_SLOTS = `select slot_name as name from pg_replication_slots where not active`
const FROZEN = `select age(datfrozenxid)::float8 as age from pg_database where datname = current_database()`
const OLD_XIDS = 1_000_000_000

export const vacuumCheck: Check<Context> = {
  check: 'vacuum',
  run: async ({ db: { pool } }) => {
    const tables = await pool.query<{ name: string; dead: number }>(TABLES, [DEAD_ROWS])
    const holders = await pool.query<Holder>(HOLDERS, [BACKUP])
    const slots = await pool.query<{ name: string }>(IDLE_SLOTS)
    const frozen = await pool.query<{ age: number }>(FROZEN)
    const age = frozen.rows[0]?.age ?? 0
    const findings = [
      ...tables.rows.map(({ name, dead }) => warning(`${dead} dead rows in ${name}`, `VACUUM ${name}`)),
      ...holders.rows.map(({ what, seconds, isBackup }) => {
        const remedy = isBackup ? 'let it end: until then it keeps dead rows' : 'end it: it keeps dead rows'
        return warning(`${what} has been open for ${Math.round(seconds / 60)} minutes`, remedy)
      }),
      ...slots.rows.map(({ name }) =>
        warning(
          `no standby reads the replication slot ${name}`,
          `bring it back, or pg_drop_replication_slot('${name}')`,
        ),
      ),
      ...(age > OLD_XIDS ? [warning(`the oldest transaction id is ${age} old`, 'VACUUM FREEZE')] : []),
    ]
    return orOk(findings, 'keeps up')
  },
}

const DAY_MS = 86_400_000
const OVERDUE_DAYS = 6
const REMEDY = 'start a worker whose role owns the tables, and end long transactions'

export const partitionCheck: Check<Context> = {
  check: 'partitions',
  needsSchema: true,
  run: async ({ db, now }) => {
    const partitions = await readPartitions(db.pool)
    const bound = boundBegun(partitions)
    const days = bound === null ? OVERDUE_DAYS : (idTime(bound).getTime() - now().getTime()) / DAY_MS
    const { rows } = newestOf(partitions, 'job')
    const from = bound === null ? '' : idTime(bound).toISOString()
    const findings = [
      ...(days < 1 ? [error(`jobs from ${from} on will be refused: their partition is not there yet`, REMEDY)] : []),
      ...(days >= 1 && days < OVERDUE_DAYS ? [warning(`the partition of jobs from ${from} on is late`, REMEDY)] : []),
      ...(rows > 2 * MOST_JOBS ? [warning(`the newest partition has ${rows} jobs`, REMEDY)] : []),
    ]
    return orOk(findings, `${partitions.length} partitions`)
  },
}

interface Holder {
  readonly what: string
  readonly seconds: number
  readonly isBackup: boolean
}
