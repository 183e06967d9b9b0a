import type { Closer } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import { openDatabase } from '../db/database.ts'
import { openExternalDatabase } from '../db/external-database.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'

export type OpenedServer = Awaited<ReturnType<typeof openServer>>

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>

export async function openServer(settings: Settings, log: Log, closers: Closer[]) {
  const { databaseUrl, databasePoolSize, dataDir, lookUp } = settings
  const embedded =
    databaseUrl === null ? await (await import('../db/embedded/embedded.ts')).openEmbedded(dataDir, log) : null
  if (embedded !== null) closers.push({ what: 'the embedded database', close: () => embedded.close() })
  const ssl = { pgSslMode: lookUp('PGSSLMODE') ?? null, pgSslRootCert: lookUp('PGSSLROOTCERT') ?? null }
  const target = databaseUrl === null ? null : await openExternalDatabase({ ...settings, ...ssl, databaseUrl }, log)
  const db = openDatabase(target ?? (embedded as { url: string }).url, log, databasePoolSize)
  closers.push({ what: 'the database', close: () => db.close() })
  return { db, embedded }
}

/** Always true for DATABASE_URL; only connecting can tell. */
export async function hasDatabase({ databaseUrl, dataDir }: Place): Promise<boolean> {
  if (databaseUrl !== null) return true
  const { isInitialised } = await import('../db/embedded/embedded-directory.ts')
  return isInitialised(dataDir)
}

/**
 * Keeps a command that only looks from creating an embedded database.
 * @throws UNAVAILABLE with advice for the operator
 */
export async function requireDatabase(place: Place): Promise<void> {
  if (await hasDatabase(place)) return
  throw new ServiceError(
    'UNAVAILABLE',
    `There is no database in ${place.dataDir}: set DATABASE_URL, or DATA_DIR to the directory that the service uses.`,
  )
}
