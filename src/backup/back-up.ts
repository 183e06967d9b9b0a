import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { constants, createGzip } from 'node:zlib'
import { escapeIdentifier } from 'pg'
import type { Settings } from '../context/config.ts'
import type { Database } from '../db/database.ts'
import { readLedger } from '../db/migrations/ledger.ts'
import { requireVersion } from '../db/migrations/migrate.ts'
import { namesMadeBy } from '../db/migrations/migration-files.ts'
import { BACKUP, Snapshot } from '../db/snapshot.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { Storage } from '../storage/storage.ts'
import { using } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { commandLine, VERSION } from '../values/program.ts'
import { keepArtifacts, listArtifacts, paced } from './artifacts.ts'
import { writeChecked } from './checked-file.ts'
import { type BackupTable, type Manifest, writeManifest } from './manifest.ts'
import { keepSecretKey, readSecretKey } from './secret-key-file.ts'
import { type IsOwn, listPartitions, listSequences, listTables, type Table } from './tables.ts'

interface BackupContext {
  readonly settings: Settings
  readonly log: Log
  readonly db: Database
  readonly storage: Storage
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/
/** The session idles while a table's file is flushed, however slow the disk is. */
const UNHURRIED = 'set local idle_in_transaction_session_timeout = 0'

/**
 * Writes a backup into an empty directory while the service runs: tables of one snapshot, their files, then the manifest.
 * An interrupted backup has no manifest.
 * @throws INVALID_REQUEST if a migration is unfinished, the key is not the service's, or the directory is not empty
 */
export async function backUp({ settings, log, db, storage }: BackupContext, directory: string): Promise<Manifest> {
  const dir = resolve(directory)
  await requireVersion(db.pool)
  const migrations = await appliedMigrations(db)
  const key = await readSecretKey(settings, db)
  await openEmpty(dir)
  const secretKey = await keepSecretKey(key, dir)
  const { list, ...data } = await keepTables({ db, log }, dir, await ownNames(migrations))
  const artifacts = await keepArtifacts({ db, storage }, dir, list)
  const manifest = { version: VERSION, migrations, ...data, artifacts, secretKey }
  await writeManifest(dir, manifest)
  await db.pool.query('update installation set backed_up_at = $1', [data.madeAt]).catch(ignoreOlderSchema)
  return { format: 1, ...manifest }
}

async function appliedMigrations(db: Database): Promise<string[]> {
  const ledger = (await readLedger(db.pool)) ?? []
  const open = ledger.find(({ state }) => state === 'under way' || state === 'failed')
  if (open !== undefined)
    throw invalidRequest(`The migration ${open.name} has not finished: run "${commandLine('migrate')}" first.`)
  const applied = ledger.filter(({ state }) => state === 'applied').map(({ name }) => name)
  if (applied.length === 0)
    throw invalidRequest('The database holds nothing of this service: there is nothing to back up.')
  return applied
}

async function openEmpty(dir: string): Promise<void> {
  await using(dir, () => mkdir(dir, { recursive: true, mode: 0o700 }))
  if ((await using(dir, () => readdir(dir))).length === 0) return
  throw invalidRequest(`${dir} is not empty: name a directory that is not there yet.`)
}

async function ownNames(migrations: readonly string[]): Promise<IsOwn> {
  const names = await namesMadeBy(migrations)
  return names === null ? (name) => PLAIN_NAME.test(name) : (name) => names.has(name)
}

async function keepTables({ db, log }: Pick<BackupContext, 'db' | 'log'>, dir: string, isOwn: IsOwn) {
  const snapshot = await Snapshot.open(db, BACKUP)
  try {
    await snapshot.query(UNHURRIED)
    const all = await listTables(snapshot)
    const found = all.filter(({ name }) => isOwn(name))
    const others = all.flatMap(({ name }) => (isOwn(name) ? [] : [name]))
    if (others.length > 0) log.warn({ tables: others }, 'the backup leaves out tables that are not of this service')
    // The lock makes a migration wait.
    await snapshot.query(
      `lock table ${found.map(({ name }) => escapeIdentifier(name)).join(', ')} in access share mode`,
    )
    const [{ now } = { now: new Date() }] = await snapshot.query<{ now: Date }>('select now()')
    const tables: BackupTable[] = []
    for (const table of found) tables.push(await keepTable(snapshot, dir, table))
    const list = await listArtifacts(snapshot, dir)
    // Sequences ignore snapshots and only grow, so a later value is safe.
    const [partitions, sequences] = [await listPartitions(snapshot, isOwn), await listSequences(snapshot, isOwn)]
    await snapshot.commit()
    return { madeAt: now.toISOString(), tables, partitions, sequences, list }
  } finally {
    snapshot.close()
  }
}

async function keepTable(snapshot: Snapshot, dir: string, { name, columns }: Table): Promise<BackupTable> {
  const list = columns.map(escapeIdentifier).join(', ')
  const copy = snapshot.copy(`copy (select ${list} from ${escapeIdentifier(name)}) to stdout`)
  const zip = createGzip({ level: constants.Z_BEST_SPEED })
  const file = await writeChecked(dir, `tables/${name}.copy.gz`, copy, paced(), zip)
  return { name, columns, rows: copy.rowCount, file }
}

const ignoreOlderSchema = (error: unknown): void => {
  if ((error as { code?: unknown }).code !== '42703') throw error
}
