import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationList } from '@prisma/schema-engine-wasm'
import { Client } from 'pg'
import type { Log } from '../../values/log.ts'
import type { Database } from '../database.ts'
import { withSchemaEngine } from './schema-engine.ts'

const PRISMA = fileURLToPath(new URL('../../../prisma', import.meta.url))
const MIGRATIONS = join(PRISMA, 'migrations')
const LOCKFILE = 'migration_lock.toml'
const SCHEMA = join(PRISMA, 'schema.prisma')
/** Any number, the same in every process; Prisma's own command line locks with another. */
const LOCK = 7_306_190_411
const UNDEFINED_TABLE = '42P01'
const NO_FILTER = { externalTables: [], externalEnums: [] }

interface LedgerRow {
  readonly name: string
  readonly state: 'applied' | 'failed' | 'rolled back'
}

/**
 * Brings the database to the newest migration, each one in a transaction of its own, and writes Prisma's ledger. Any
 * number of processes may call it at once: one works, the others wait. Costs one query when nothing is pending.
 * Throws when a migration fails or failed before.
 */
export async function migrate(db: Database, log: Log): Promise<void> {
  const names = await migrationNames()
  const query = (sql: string) => db.pool.query<LedgerRow>(sql)
  if (isCurrent(names, await readLedger(query))) return
  const client = new Client({ connectionString: db.url, application_name: 'sonant migrate' })
  client.on('error', (error) => log.warn({ err: error.message }, 'the migration lost its lock'))
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const ledger = await readLedger((sql) => client.query<LedgerRow>(sql))
    refuseFailed(ledger)
    if (!isCurrent(names, ledger)) await apply(db.url, names, log)
  } finally {
    // Ending the connection gives the lock back, whatever state the transaction is in.
    await client.end()
  }
}

/**
 * The SQL that leads from a database as it is ('database') or from nothing ('empty') to prisma/schema.prisma; empty
 * text when there is no difference. A draft for a new migration, and the drift test.
 */
export async function diffSchema(url: string, from: 'database' | 'empty'): Promise<string> {
  const files = [{ path: SCHEMA, content: await readFile(SCHEMA, 'utf8') }]
  const source = from === 'empty' ? { tag: from } : { tag: 'schemaDatasource' as const, files, configDir: PRISMA }
  const result = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: source,
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    }),
  )
  const script = (result.stdout ?? '').trim()
  return script === '-- This is an empty migration.' ? '' : script
}

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

async function readLedger(query: (sql: string) => Promise<{ rows: LedgerRow[] }>): Promise<LedgerRow[]> {
  try {
    const { rows } = await query(
      `select migration_name as name,
              case when rolled_back_at is not null then 'rolled back' when finished_at is null then 'failed' else 'applied' end as state
         from _prisma_migrations`,
    )
    return rows
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return []
    throw error
  }
}

// Migrations that we do not know are a newer program's, which may run beside us during an upgrade.
function isCurrent(names: readonly string[], ledger: readonly LedgerRow[]): boolean {
  const applied = new Set(ledger.filter((row) => row.state === 'applied').map((row) => row.name))
  return names.every((name) => applied.has(name)) && !ledger.some((row) => row.state === 'failed')
}

function refuseFailed(ledger: readonly LedgerRow[]): void {
  const failed = ledger.find((row) => row.state === 'failed')
  if (failed === undefined) return
  throw new Error(
    `The migration ${failed.name} failed half-way on this database: mend it, then set finished_at or rolled_back_at of its row in _prisma_migrations.`,
  )
}

async function apply(url: string, names: readonly string[], log: Log): Promise<void> {
  const migrationsList = await readMigrations(names)
  const { appliedMigrationNames } = await withSchemaEngine(url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: NO_FILTER }),
  )
  log.info({ migrations: appliedMigrationNames }, 'migrated the database')
}

async function readMigrations(names: readonly string[]): Promise<MigrationList> {
  const migrationDirectories = await Promise.all(
    names.map(async (name) => {
      const value = await readFile(join(MIGRATIONS, name, 'migration.sql'), 'utf8')
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } }
    }),
  )
  const lockfile = { path: LOCKFILE, content: await readFile(join(MIGRATIONS, LOCKFILE), 'utf8') }
  return { baseDir: MIGRATIONS, lockfile, shadowDbInitScript: '', migrationDirectories }
}
