import type { Settings } from '../context/config.ts'
import { type PlannedMigration, planMigrations } from '../db/migrations/plan-migrations.ts'
import type { Log } from '../values/log.ts'
import { hasDatabase } from './require-database.ts'
import { withServer } from './with-server.ts'

export async function planPending(settings: Settings, log: Log): Promise<PlannedMigration[]> {
  if (!(await hasDatabase(settings))) return planMigrations(null)
  return withServer(settings, log, ({ db }) => planMigrations(db.pool))
}
