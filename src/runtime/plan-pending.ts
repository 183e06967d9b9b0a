import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import type { Database } from '../db/database.ts'
import { examineLedger, type LedgerExamination } from '../db/migrations/examine-ledger.ts'
import { type PlannedMigration, planMigrations } from '../db/migrations/plan-migrations.ts'
import type { Log } from '../values/log.ts'
import { closingLimit } from './foundation.ts'
import { openServer } from './open-server.ts'
import { hasDatabase, requireDatabase } from './require-database.ts'

/** What the next start would change in the database of these settings, which stays as it is: an embedded one is not made for it. */
export async function planPending(settings: Settings, log: Log): Promise<PlannedMigration[]> {
  if (!(await hasDatabase(settings))) return planMigrations(null)
  return onServer(settings, log, (pool) => planMigrations(pool))
}

/**
 * How the migrations of these settings' database stand, whatever became of them: nothing here refuses it.
 * @throws ServiceError UNAVAILABLE where there is none, or it cannot be used
 */
export async function examineMigrations(settings: Settings, log: Log): Promise<LedgerExamination> {
  await requireDatabase(settings)
  return onServer(settings, log, (pool) => examineLedger(pool))
}

async function onServer<T>(settings: Settings, log: Log, look: (pool: Database['pool']) => Promise<T>): Promise<T> {
  const closers: Closer[] = []
  try {
    const { db } = await openServer(settings, log, closers)
    return await look(db.pool)
  } finally {
    await closeInTurn(closers, closingLimit(settings), log)
  }
}
