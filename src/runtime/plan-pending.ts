import type { Settings } from '../context/config.ts'
import { type PlannedMigration, planMigrations } from '../db/migrations/plan-migrations.ts'
import type { Log } from '../values/log.ts'
import { hasDatabase } from './require-database.ts'
import { withServer } from './with-server.ts'

/** What the next start would change in the database of these settings, which stays as it is: an embedded one is not made for it. */
export async function planPending(settings: Settings, log: Log): Promise<PlannedMigration[]> {
  if (!(await hasDatabase(settings))) return planMigrations(null)
  return withServer(settings, log, ({ db }) => planMigrations(db.pool))
}
