import { setTimeout as wait } from 'node:timers/promises'
import { type Client, escapeIdentifier } from 'pg'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { commandLine, VERSION } from '../../values/program.ts'
import { liftTimeLimits } from '../connections/servers.ts'
import type { Database } from '../database.ts'
import { createLedger, type LedgerRow, type Queryable, REPAIR, readLedger } from './ledger.ts'
import { MIGRATIONS, type Migration, migrationNames, readMigration } from './migration-files.ts'
import type { Sessions } from './step-transaction.ts'

const GUARD_TIMEOUT_MS = 5_000
const OLDER_SCHEMA: ReadonlySet<string | undefined> = new Set(['42P01', '42703'])
const NEEDED = `
  select coalesce(
    (select minimum_version from installation limit 1),
    (select substring(pg_get_expr(d.adbin, d.adrelid) from '''([^'']+)''') from pg_attrdef d
     join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
     where d.adrelid = 'installation'::regclass and a.attname = 'minimum_version')
  ) as version`

const LOCK = 7_306_190_411
/** The lock of Prisma's own command line. */
const PRISMA_LOCK = 72_707_369
const POLL_MS = 100

interface MigrateOptions {
  readonly apply?: boolean
  readonly folder?: string
  readonly only?: readonly string[]
}

export interface LedgerExamination {
  readonly pending: readonly string[]
  readonly newer: readonly string[]
  /** They block migrations until an operator repairs those that this program knows. */
  readonly failed: readonly FailedMigration[]
}

interface FailedMigration {
  readonly name: string
  readonly isKnown: boolean
  readonly reason: string | null
}

/**
 * Applies pending migrations and keeps Prisma's ledger. Concurrent callers wait for one.
 * @throws if the schema needs a newer program, a migration fails, has failed or may not be applied, the role lacks ownership, or the
 * schema belongs to another program
 */
export async function migrate(db: Database, log: Log, options: MigrateOptions = {}): Promise<void> {
  const { folder = MIGRATIONS, apply = true, only } = options
  const names = only ?? (await migrationNames(folder))
  await requireVersion(db.pool)
  const ledger = await readLedger(db.pool)
  warnOfNewer(names, ledger ?? [], log)
  if (isCurrent(names, ledger)) return
  if (!apply) rejectFailed(names, ledger ?? [])
  if (!apply) throw notApplied(pendingIn(names, ledger))
  const session = { application_name: 'sonant migrate' }
  const client = await db.watched.connect(session)
  client.on('error', (error) => log.warn({ err: error.message }, 'the migration lost its lock'))
  try {
    await liftTimeLimits(client)
    await lockMigrations(client)
    const connect = () => db.watched.connect({ ...session, query_timeout: GUARD_TIMEOUT_MS })
    await withGuard(connect, (guard) => applyPending({ client, guard }, folder, names, log))
  } finally {
    await client.end()
  }
}

async function withGuard(connect: () => Promise<Client>, work: (guard: Client) => Promise<void>): Promise<void> {
  const guard = await connect()
  guard.on('error', () => undefined)
  try {
    await liftTimeLimits(guard)
    // Only the login role sees the waits of its other session.
    await guard.query('set role none')
    await work(guard)
  } finally {
    await guard.end()
  }
}

export function pendingIn(names: readonly string[], ledger: readonly LedgerRow[] | null): string[] {
  const applied = appliedIn(ledger ?? [])
  return names.filter((name) => !applied.has(name))
}

const isCurrent = (names: readonly string[], ledger: readonly LedgerRow[] | null): boolean =>
  pendingIn(names, ledger).length === 0 && failedIn(names, ledger ?? []) === undefined

/** A newer program's failed migration does not block this one. */
const failedIn = (names: readonly string[], ledger: readonly LedgerRow[]): LedgerRow | undefined =>
  ledger.find(({ name, state }) => state === 'failed' && names.includes(name))

const appliedIn = (ledger: readonly LedgerRow[]): ReadonlyMap<string, LedgerRow> =>
  new Map(ledger.filter((row) => row.state === 'applied').map((row) => [row.name, row]))

function warnOfNewer(names: readonly string[], ledger: readonly LedgerRow[], log: Log): void {
  const newer = ledger.filter(({ name }) => !names.includes(name))
  const failed = newer.filter(({ state }) => state === 'failed').map(({ name }) => name)
  const migrations = newer.map(({ name }) => name)
  if (newer.length > 0) log.warn({ migrations }, 'the database has migrations of a newer version')
  if (failed.length > 0) log.warn({ migrations: failed }, 'migrations of a newer version failed half-way')
}

function notApplied(pending: readonly string[]): ServiceError {
  const which =
    pending.length === 0 ? '' : ` (${pending[0]}${pending.length > 1 ? ` and ${pending.length - 1} more` : ''})`
  return new ServiceError(
    'UNAVAILABLE',
    `Migrations are pending${which}, and MIGRATE is off: run "${commandLine('migrate')}", and look before with "${commandLine('migrate --plan')}".`,
  )
}

async function applyPending(sessions: Sessions, folder: string, names: readonly string[], log: Log): Promise<void> {
  const { client } = sessions
  const ledger = await readLedger(client)
  if (isCurrent(names, ledger)) return
  rejectFailed(names, ledger ?? [])
  if (ledger === null) await startLedger(client)
  else await rejectOthers(client)
  const applied = appliedIn(ledger ?? [])
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)))
  warnOfChanged(migrations, applied, log)
  const { applyMigration } = await import('./apply-migration.ts')
  const pending = migrations.filter(({ name }) => !applied.has(name))
  for (const migration of pending)
    await applyMigration({ ...sessions, migration, log }, begunIn(ledger ?? [], migration))
  log.info({ migrations: pending.map(({ name }) => name) }, 'migrated the database')
}

function begunIn(ledger: readonly LedgerRow[], { name, checksum }: Migration): LedgerRow | undefined {
  const begun = ledger.findLast((row) => row.name === name)
  if (begun === undefined || begun.checksum === checksum || begun.steps === 0) return begun
  throw new Error(`The migration ${name} was begun by another version, whose file differs: let that version end it.`)
}

export function rejectFailed(names: readonly string[], ledger: readonly LedgerRow[]): void {
  const failed = failedIn(names, ledger)
  if (failed === undefined) return
  throw new Error(`The migration ${failed.name} failed half-way on this database: ${REPAIR}.`)
}

const OWNERSHIP = `
  select current_user as role, pg_get_userbyid(relowner) as owner, pg_has_role(relowner, 'usage') as "isOwner"
  from pg_class where oid = '_prisma_migrations'::regclass`

interface Ownership {
  readonly role: string
  readonly owner: string
  readonly isOwner: boolean
}

/** Checks ownership first, because a migration that PostgreSQL refuses would be recorded as failed. */
async function rejectOthers(db: Queryable): Promise<void> {
  const { role, owner, isOwner } = (await db.query<Ownership>(OWNERSHIP)).rows[0] as Ownership
  if (isOwner) return
  const grant = `GRANT ${escapeIdentifier(owner)} TO ${escapeIdentifier(role)}`
  throw new ServiceError(
    'UNAVAILABLE',
    `Migrations are pending, and the role ${role} does not own the tables: run "${commandLine('migrate')}" as their owner, ${owner}, or have a superuser run ${grant}.`,
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

function warnOfChanged(migrations: readonly Migration[], applied: ReadonlyMap<string, LedgerRow>, log: Log): void {
  for (const { name, checksum } of migrations) {
    const row = applied.get(name)
    if (row !== undefined && row.checksum !== null && row.checksum !== checksum)
      log.warn({ migration: name }, 'a migration that was applied differs from its file')
  }
}

export async function examineLedger(db: Queryable, folder = MIGRATIONS): Promise<LedgerExamination> {
  const ledger = (await readLedger(db)) ?? []
  const names = await migrationNames(folder)
  const failed = ledger.filter(({ state }) => state === 'failed')
  const hasFailed = (name: string): boolean => failed.some((row) => row.name === name)
  const newer = ledger.filter(({ name, state }) => !names.includes(name) && state !== 'rolled back')
  return {
    pending: pendingIn(names, ledger).filter((name) => !hasFailed(name)),
    newer: [...new Set(newer.map(({ name }) => name))].filter((name) => !hasFailed(name)),
    failed: failed.map((row) => ({ name: row.name, isKnown: names.includes(row.name), reason: reasonOf(row) })),
  }
}

const reasonOf = ({ logs }: LedgerRow): string | null => logs?.trim().split('\n', 1)[0] || null

/** @throws ServiceError UNAVAILABLE with the version to start, if a newer program removed something that this one needs */
export async function requireVersion(db: Queryable): Promise<void> {
  const needed = await minimumVersion(db)
  if (needed === null || !isOlder(VERSION, needed)) return
  throw new ServiceError(
    'UNAVAILABLE',
    `The database was migrated for Sonant ${needed} or newer, and this is ${VERSION}: start that version, or restore a backup from before its migration.`,
  )
}

async function minimumVersion(db: Queryable): Promise<string | null> {
  try {
    const { rows } = await db.query<{ version: string | null }>(NEEDED)
    return rows[0]?.version ?? null
  } catch (error) {
    if (OLDER_SCHEMA.has(errorCode(error))) return null
    throw error
  }
}

export function isOlder(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  const at = b.findIndex((part, index) => part !== (a[index] ?? 0))
  return at >= 0 && (a[at] ?? 0) < (b[at] as number)
}

const partsOf = (version: string): number[] => version.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10) || 0)

/**
 * Lets one process migrate until its connection ends. Others poll, because a waiting statement's snapshot would block a concurrent
 * index build forever.
 */
async function lockMigrations(client: Client): Promise<void> {
  for (const lock of [LOCK, PRISMA_LOCK]) {
    while (!(await isTaken(client, lock))) await wait(POLL_MS)
  }
}

async function isTaken(client: Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lock])
  return rows[0]?.taken === true
}
