import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import { type PlannedMigration, planMigrations } from '../db/migrations/plan-migrations.ts'
import type { Log } from '../values/log.ts'
import { closingLimit } from './foundation.ts'
import { hasDatabase, type OpenedServer, openServer } from './open-server.ts'

/** Runs `work` with the database open. @throws errors of `work` and of opening */
export async function withServer<T>(
  settings: Settings,
  log: Log,
  work: (server: OpenedServer) => Promise<T>,
): Promise<T> {
  const closers: Closer[] = []
  try {
    return await work(await openServer(settings, log, closers))
  } finally {
    await closeInTurn(closers, closingLimit(settings), log)
  }
}

export async function planPending(settings: Settings, log: Log): Promise<PlannedMigration[]> {
  if (!(await hasDatabase(settings))) return planMigrations(null)
  return withServer(settings, log, ({ db }) => planMigrations(db.pool))
}
