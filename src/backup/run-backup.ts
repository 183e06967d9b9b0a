import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import { closingLimit, openStore } from '../runtime/foundation.ts'
import { openServer, requireDatabase } from '../runtime/open-server.ts'
import { openDataDirectory } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'
import { backUp } from './back-up.ts'
import type { Manifest } from './manifest.ts'
import { restore } from './restore.ts'

/** Backs up the database and the store. @throws UNAVAILABLE if there is no database */
export async function runBackup(settings: Settings, log: Log, dir: string): Promise<Manifest> {
  await requireDatabase(settings)
  return withClosers(settings, log, async (closers) =>
    backUp({ settings, log, ...(await openBoth(settings, log, closers)) }, dir),
  )
}

export const runRestore = (settings: Settings, log: Log, dir: string): Promise<Manifest> =>
  withClosers(settings, log, (closers) => restore({ settings, log, open: () => openBoth(settings, log, closers) }, dir))

async function openBoth(settings: Settings, log: Log, closers: Closer[]) {
  openDataDirectory(settings.dataDir)
  const { db } = await openServer(settings, log, closers)
  return { db, storage: openStore(settings) }
}

async function withClosers<T>(settings: Settings, log: Log, work: (closers: Closer[]) => Promise<T>): Promise<T> {
  const closers: Closer[] = []
  try {
    return await work(closers)
  } finally {
    await closeInTurn(closers, closingLimit(settings), log)
  }
}
