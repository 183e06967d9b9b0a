import type { Pool } from 'pg'
import { readLedger } from './ledger.ts'
import { pendingIn, rejectFailed } from './migrate.ts'
import { MIGRATIONS, migrationNames, readMigration } from './migration-files.ts'
import { plannedTables, readTables } from './planned-tables.ts'
import { locksOf, type TableLock } from './statement-locks.ts'
import type { Step } from './steps.ts'

/** One step of a pending migration, and what it keeps others from. */
interface PlannedStep {
  readonly runs: Step['kind']
  /** Of tables that others know, by the names that these had when the plan began, each until the step ends. */
  readonly locks: readonly TableLock[]
}

/** A pending migration, as `sonant migrate --plan` shows it. */
export interface PlannedMigration {
  readonly name: string
  /** Broken off between two steps; those that are left follow. */
  readonly begun: boolean
  readonly steps: readonly PlannedStep[]
  /** The oldest program that may start after it, where it raises that; null: those that run now may go on. */
  readonly minimumVersion: string | null
}

/**
 * What `migrate` would do, without doing it. On a database that was never used, nothing is locked that any other program knows.
 * @param db null: it is still to be made
 * @throws where `migrate` would do nothing, since a migration failed half-way
 */
export async function planMigrations(db: Pool | null, folder = MIGRATIONS): Promise<PlannedMigration[]> {
  const ledger = db === null ? null : await readLedger(db)
  const names = await migrationNames(folder)
  rejectFailed(names, ledger ?? [])
  const pending = new Set(pendingIn(names, ledger))
  const tables = ledger === null || db === null ? plannedTables([]) : await readTables(db)
  const planned: PlannedMigration[] = []
  for (const name of names.filter((one) => pending.has(one))) {
    const migration = await readMigration(folder, name, ledger !== null)
    const row = ledger?.findLast((one) => one.name === name && one.state === 'under way')
    const left = migration.steps.slice(row?.steps ?? 0)
    const steps = left.map((step) => ({ runs: step.kind, locks: locksOf(step.sql, tables) }))
    planned.push({ name, steps, minimumVersion: raisedTo(migration.sql), begun: row !== undefined })
  }
  return planned
}

const raisedTo = (sql: string): string | null => /minimum_version"?\s*=\s*'([^']+)'/i.exec(sql)?.[1] ?? null
