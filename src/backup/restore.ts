import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Settings } from '../context/config.ts'
import { liftTimeLimits, SESSION_DEFAULTS } from '../db/connections/servers.ts'
import { SessionClient } from '../db/connections/session-client.ts'
import type { Database } from '../db/database.ts'
import { withLock } from '../db/lock.ts'
import { type Queryable, readLedger } from '../db/migrations/ledger.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { MIGRATIONS, migrationNames } from '../db/migrations/migration-files.ts'
import { adoptNames, LAST_REPLACED } from '../db/migrations/whole-schema.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { isVoiceKey } from '../library/account-voices.ts'
import type { Storage } from '../storage/storage.ts'
import type { Log } from '../values/log.ts'
import { VERSION } from '../values/program.ts'
import { restoreArtifacts, verifyArtifacts } from './artifacts.ts'
import { verifyFile } from './checked-file.ts'
import { type BackupTable, type Manifest, readManifest } from './manifest.ts'
import { checkSecretKey, restoreSecretKey } from './secret-key-file.ts'
import { isPartitionedByWorkers, listPartitions, listSequences, listTables, type Reader } from './tables.ts'

/** A feed's reader may have seen changes that the backup lacks. */
const END_CURSORS = `
  do $$ begin
    if to_regclass('feed_horizon') is not null then
      insert into feed_horizon as h (feed, opened, kept_from) values ('job', clock_timestamp(), clock_timestamp())
      on conflict (feed) do update set kept_from = greatest(h.opened, excluded.kept_from);
    end if;
  end $$`

interface RestoreContext {
  readonly settings: Settings
  readonly log: Log
  readonly open: () => Promise<{ readonly db: Database; readonly storage: Storage }>
}

interface Parts {
  readonly db: Pick<Database, 'url'>
  readonly log: Log
}

interface Fitting extends Pick<Manifest, 'partitions' | 'sequences'> {
  /** Ordered by foreign keys, referenced tables first. */
  readonly tables: readonly FittingTable[]
}

interface FittingTable extends BackupTable {
  readonly others: readonly string[]
}

/**
 * Verifies a backup and fills an empty database and its store.
 * One transaction fills the tables last, so an interrupted restore can be repeated.
 * @throws INVALID_REQUEST if the backup is incomplete, damaged, from a newer or too old program or under another key
 * @throws UNAVAILABLE if the database is in use
 */
export async function restore({ settings, log, open }: RestoreContext, directory: string): Promise<Manifest> {
  const dir = resolve(directory)
  const manifest = adopt(await readManifest(dir))
  const known = await migrationNames(MIGRATIONS)
  const newer = manifest.migrations.find((name) => !known.includes(name))
  if (newer !== undefined) {
    throw invalidRequest(
      `The backup was made by Sonant ${manifest.version}, whose migration ${newer} this one (${VERSION}) does not know: restore it with that version or a newer one.`,
    )
  }
  await checkSecretKey(settings, manifest.secretKey)
  await verifyAll(dir, manifest)
  const { db, storage } = await open()
  await requireUnused(db.pool, manifest)
  await restoreArtifacts(storage, dir, manifest.artifacts)
  await restoreSecretKey(settings, dir, manifest.secretKey)
  await migrate(db, log, { only: manifest.migrations })
  // A service that starts meanwhile installs under the same lock.
  await withLock(db, 'install', () =>
    restoreTables({ db, log }, dir, manifest, (client) => requireUnused(client, manifest)),
  )
  await migrate(db, log)
  await noteGone(db, manifest)
  await db.prisma.installation.updateMany({ data: { backedUpAt: manifest.madeAt } })
  return manifest
}

function adopt(manifest: Manifest): Manifest {
  const migrations = adoptNames(manifest.migrations)
  if (migrations !== null) return { ...manifest, migrations }
  throw invalidRequest(
    `The backup was made by Sonant ${manifest.version}, before the migration ${LAST_REPLACED}: restore it with the version that knows that one, and back it up again.`,
  )
}

async function verifyAll(dir: string, { tables, artifacts, secretKey }: Manifest): Promise<void> {
  const files = [
    ...tables.map(({ file }) => file),
    artifacts.list,
    ...(secretKey.file === null ? [] : [secretKey.file]),
  ]
  for (const file of files) await verifyFile(dir, file)
  await verifyArtifacts(dir, artifacts)
}

/** @throws UNAVAILABLE if the database has an account, an installation, a job or a later schema */
async function requireUnused(db: Queryable, { migrations }: Manifest): Promise<void> {
  const ledger = await readLedger(db)
  if (ledger === null || !ledger.some(({ state }) => state === 'applied')) return
  const { rows } = await db.query<{ used: boolean }>(
    'select exists (select from account) or exists (select from installation) or exists (select from job) as used',
  )
  const isLater = ledger.some(({ name }) => !migrations.includes(name))
  if (rows[0]?.used !== true && !isLater) return
  throw new ServiceError(
    'UNAVAILABLE',
    'The database is in use: restore into an empty one, or into a DATA_DIR that is not there yet.',
  )
}

async function noteGone({ prisma }: Database, { artifacts: { gone } }: Manifest): Promise<void> {
  if (gone.length === 0) return
  const where = { storageKey: { in: gone }, deletedAt: null }
  await prisma.artifact.updateMany({ where, data: { deletedAt: new Date() } })
  await prisma.accountVoice.deleteMany({ where: { storageKey: { in: gone.filter(isVoiceKey) } } })
}

/**
 * Fills all tables in one transaction with triggers off, because the backup holds what they keep.
 * Foreign keys stay on, so the role needs only to own the tables.
 * @param requireUnused throws if the tables are in use; called under their lock
 */
export async function restoreTables(
  { db, log }: Parts,
  dir: string,
  manifest: Manifest,
  requireUnused: (client: Queryable) => Promise<void>,
): Promise<void> {
  const client = new SessionClient({ connectionString: db.url, application_name: 'sonant restore' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(SESSION_DEFAULTS)
    await liftTimeLimits(client)
    await client.query('begin; set local synchronous_commit = on')
    const { tables, partitions, sequences } = await fitting(readerOf(client), manifest, log)
    await makePartitions(client, partitions)
    const all = tables.map(({ name }) => escapeIdentifier(name))
    await client.query(`lock table ${all.join(', ')} in access exclusive mode`)
    await requireUnused(client)
    await client.query(`truncate ${all.join(', ')} restart identity cascade`)
    for (const table of all) await client.query(`alter table ${table} disable trigger user`)
    for (const table of tables) await fill(client, dir, table)
    // PostgreSQL refuses to alter a table with pending foreign key checks.
    await client.query('set constraints all immediate')
    for (const table of tables) await alterOthers(client, table, (column) => `drop column ${column}`)
    for (const table of all) await client.query(`alter table ${table} enable trigger user`)
    for (const { name, value, isCalled } of sequences) {
      await client.query('select setval($1::regclass, $2, $3)', [escapeIdentifier(name), value, isCalled])
    }
    await client.query(END_CURSORS)
    await client.query('commit')
    for (const table of all) await client.query(`analyze ${table}`)
  } finally {
    await client.end()
  }
}

const readerOf = (client: Client): Reader => ({ query: async (text) => (await client.query(text)).rows })

async function fitting(db: Reader, manifest: Manifest, log: Log): Promise<Fitting> {
  const there = await listTables(db)
  const sequences = new Set((await listSequences(db, () => true)).map(({ name }) => name))
  const tables = there.flatMap(({ name, columns }) =>
    manifest.tables
      .filter((kept) => kept.name === name)
      .map((kept) => ({ ...kept, others: kept.columns.filter((column) => !columns.includes(column)) })),
  )
  const fits = new Set(tables.map(({ name }) => name))
  const others = [
    ...manifest.tables.map(({ name }) => name).filter((name) => !fits.has(name)),
    ...tables.flatMap(({ name, others }) => others.map((column) => `${name}.${column}`)),
  ]
  if (others.length > 0) log.warn({ others }, 'the restore passes over tables and columns that are not of this service')
  return {
    tables,
    partitions: manifest.partitions.filter(({ parent }) => fits.has(parent) && !isPartitionedByWorkers(parent)),
    sequences: manifest.sequences.filter(({ name }) => sequences.has(name)),
  }
}

async function makePartitions(client: Client, partitions: Manifest['partitions']): Promise<void> {
  const there = new Set((await listPartitions(readerOf(client), () => true)).map(({ name }) => name))
  for (const { name, parent, bound } of partitions.filter((one) => !there.has(one.name))) {
    await client.query(
      `create table ${escapeIdentifier(name)} partition of ${escapeIdentifier(parent)} ${checkedBound(bound)}`,
    )
  }
}

/** Security: the manifest is a file and its text becomes SQL. */
function checkedBound(bound: string): string {
  if (/^(DEFAULT|FOR VALUES FROM \(('[^']*'|MINVALUE)\) TO \(('[^']*'|MAXVALUE)\))$/.test(bound)) return bound
  throw new Error(`The backup names a partition that cannot be made: ${bound}.`)
}

const alterOthers = async (client: Client, { name, others }: FittingTable, change: (column: string) => string) => {
  for (const column of others.map(escapeIdentifier))
    await client.query(`alter table ${escapeIdentifier(name)} ${change(column)}`)
}

async function fill(client: Client, dir: string, table: FittingTable): Promise<void> {
  const { name, columns, rows, file } = table
  await alterOthers(client, table, (column) => `add column ${column} text`)
  const list = columns.map(escapeIdentifier).join(', ')
  const copy = client.query(copyFrom(`copy ${escapeIdentifier(name)} (${list}) from stdin`))
  await pipeline(createReadStream(join(dir, file.path)), createGunzip(), copy)
  if (copy.rowCount !== rows)
    throw new Error(`Only ${copy.rowCount} of ${rows} rows of ${escapeLiteral(name)} were restored.`)
}
