import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import { type PlannedMigration, planMigrations } from '../db/migrations/plan-migrations.ts'
import type { Log } from '../values/log.ts'
import { closingLimit, openServer } from './foundation.ts'

/** What the next start would change in the database of these settings, which stays as it is. */
export async function planPending(settings: Settings, log: Log): Promise<PlannedMigration[]> {
  const closers: Closer[] = []
  try {
    const { db } = await openServer(settings, log, closers)
    return await planMigrations(db.pool)
  } finally {
    await closeInTurn(closers, closingLimit(settings), log)
  }
}
