import { resolve } from 'node:path'
import type { Settings } from '../context/config.ts'
import type { Database } from '../db/database.ts'
import { withLock } from '../db/lock.ts'
import { type Queryable, readLedger } from '../db/migrations/ledger.ts'
import { migrate } from '../db/migrations/migrate.ts'
import { MIGRATIONS, migrationNames } from '../db/migrations/migration-files.ts'
import { adoptNames, LAST_REPLACED } from '../db/migrations/whole-schema.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { isVoiceKey } from '../library/account-voice.ts'
import type { Storage } from '../storage/storage.ts'
import type { Log } from '../values/log.ts'
import { VERSION } from '../values/version.ts'
import { restoreArtifacts, verifyArtifacts } from './artifacts.ts'
import { verifyFile } from './checked-file.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { restoreTables } from './restore-tables.ts'
import { checkSecretKey, restoreSecretKey } from './secret-key-file.ts'

interface RestoreContext {
  readonly settings: Settings
  readonly log: Log
  readonly open: () => Promise<{ readonly db: Database; readonly storage: Storage }>
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
  await db.pool.query('update installation set backed_up_at = $1', [manifest.madeAt])
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

async function noteGone(db: Database, { artifacts: { gone } }: Manifest): Promise<void> {
  if (gone.length === 0) return
  const { rowCount } = await db.pool.query(
    `select from information_schema.columns where table_schema = current_schema() and table_name = 'artifact' and column_name = 'deleted_at'`,
  )
  if (rowCount === 0) return
  await db.pool.query('update artifact set deleted_at = coalesce(deleted_at, now()) where storage_key = any($1)', [
    gone,
  ])
  await db.pool.query(`delete from account_voice where storage_key = any($1)`, [gone.filter(isVoiceKey)])
}
