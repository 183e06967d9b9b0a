import type { Closer } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import { openDatabase } from '../db/database.ts'
import { openExternalDatabase } from '../db/external-database.ts'
import type { Log } from '../values/log.ts'

export type OpenedServer = Awaited<ReturnType<typeof openServer>>

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
