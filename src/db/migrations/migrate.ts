import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, escapeIdentifier } from 'pg'
import { isDatabaseDown } from '../../errors/database-down.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Log } from '../../values/log.ts'
import type { Database } from '../database.ts'
import {
  checksumOf,
  createLedger,
  type LedgerRow,
  type Migration,
  type Queryable,
  readLedger,
  recordFailure,
  recordFinish,
  recordStart,
} from './ledger.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))
/** Any number, the same in every process. */
const LOCK = 7_306_190_411
/** What Prisma's own command line locks while it migrates. */
const PRISMA_LOCK = 72_707_369

/**
 * Brings the database to the newest migration, each one in a transaction of its own, and writes Prisma's ledger. Any
 * number of processes may call it at once: one works, the others wait. Costs one query when nothing is pending.
 * @throws where a migration fails or failed before, the role may not change the tables, or the schema holds another program's
 */
export async function migrate(db: Database, log: Log): Promise<void> {
  const names = await migrationNames()
  if (isCurrent(names, await readLedger(db.pool))) return
  const client = new Client({ connectionString: db.url, application_name: 'sonant migrate' })
  client.on('error', (error) => log.warn({ err: error.message }, 'the migration lost its lock'))
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${LOCK})`)
    await client.query(`select pg_advisory_lock(${PRISMA_LOCK})`)
    await applyPending(client, names, log)
  } finally {
    // Ending the connection frees the locks, whatever state the transaction is in.
    await client.end()
  }
}

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

// Migrations that this program does not know are a newer one's, which may run at the same time during an upgrade.
function isCurrent(names: readonly string[], ledger: readonly LedgerRow[] | null): boolean {
  const applied = appliedIn(ledger ?? [])
  return names.every((name) => applied.has(name)) && !ledger?.some((row) => row.state === 'failed')
}

const appliedIn = (ledger: readonly LedgerRow[]): ReadonlyMap<string, LedgerRow> =>
  new Map(ledger.filter((row) => row.state === 'applied').map((row) => [row.name, row]))

async function applyPending(client: Client, names: readonly string[], log: Log): Promise<void> {
  const ledger = await readLedger(client)
  if (isCurrent(names, ledger)) return
  rejectFailed(ledger ?? [])
  if (ledger === null) await startLedger(client)
  else await rejectOthers(client)
  const applied = appliedIn(ledger ?? [])
  const migrations = await Promise.all(names.map(readMigration))
  warnOfChanged(migrations, applied, log)
  const pending = migrations.filter(({ name }) => !applied.has(name))
  for (const migration of pending) await apply(client, migration)
  log.info({ migrations: pending.map(({ name }) => name) }, 'migrated the database')
}

function rejectFailed(ledger: readonly LedgerRow[]): void {
  const failed = ledger.find((row) => row.state === 'failed')
  if (failed === undefined) return
  throw new Error(
    `The migration ${failed.name} failed half-way on this database: mend it, then set finished_at or rolled_back_at of its row in _prisma_migrations.`,
  )
}

const OWNERSHIP = `
  select current_user as role, pg_get_userbyid(relowner) as owner, pg_has_role(relowner, 'usage') as "isOwner"
  from pg_class where oid = '_prisma_migrations'::regclass`

interface Ownership {
  readonly role: string
  readonly owner: string
  readonly isOwner: boolean
}

/** Before anything is recorded: a migration that PostgreSQL refuses would count as failed until an operator mends the ledger. */
async function rejectOthers(db: Queryable): Promise<void> {
  const { role, owner, isOwner } = (await db.query<Ownership>(OWNERSHIP)).rows[0] as Ownership
  if (isOwner) return
  const grant = `GRANT ${escapeIdentifier(owner)} TO ${escapeIdentifier(role)}`
  throw new ServiceError(
    'UNAVAILABLE',
    `Migrations are pending, and the role ${role} does not own the tables: run "sonant migrate" as their owner, ${owner}, or have a superuser run ${grant}.`,
  )
}

const OTHER_TABLES = `
  select current_schema() as schema from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  limit 1`

async function startLedger(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ schema: string }>(OTHER_TABLES)
  if (rows[0] !== undefined) {
    throw new Error(
      `The schema ${rows[0].schema} of the database is not empty and records no migrations: use a database of its own for this service.`,
    )
  }
  await createLedger(db)
}

const readMigration = async (name: string): Promise<Migration> => ({
  name,
  sql: await readFile(join(MIGRATIONS, name, 'migration.sql'), 'utf8'),
})

function warnOfChanged(migrations: readonly Migration[], applied: ReadonlyMap<string, LedgerRow>, log: Log): void {
  for (const { name, sql } of migrations) {
    const row = applied.get(name)
    if (row !== undefined && row.checksum !== checksumOf(sql))
      log.warn({ migration: name }, 'a migration that was applied differs from its file')
  }
}

/** With its row in the ledger or not at all: a process that is killed, or whose connection breaks, leaves none half-way. */
async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    const id = await recordStart(client, migration)
    await client.query(migration.sql)
    await recordFinish(client, id)
    await client.query('commit')
  } catch (error) {
    if (isDatabaseDown(error)) throw error
    const { message } = error as Error
    await client.query('rollback')
    await recordFailure(client, await recordStart(client, migration), message)
    throw new Error(`The migration ${migration.name} failed: ${message}.`, { cause: error })
  }
}
