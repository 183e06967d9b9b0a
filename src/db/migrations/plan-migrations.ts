import type { Pool } from 'pg'
import { readLedger } from './ledger.ts'
import { pendingIn, rejectFailed } from './migrate.ts'
import { MIGRATIONS, migrationNames, readMigration, type Step, type TableLock } from './migration-files.ts'

interface PlannedStep {
  readonly runs: Step['kind']
  /** Locks that the step declares; none on a new database. */
  readonly locks: readonly TableLock[]
}

export interface PlannedMigration {
  readonly name: string
  readonly begun: boolean
  readonly steps: readonly PlannedStep[]
  readonly minimumVersion: string | null
}

/**
 * Describes what `migrate` would do.
 * @param db null: the database does not exist yet
 * @throws if a failed migration blocks `migrate`
 */
export async function planMigrations(db: Pool | null, folder = MIGRATIONS): Promise<PlannedMigration[]> {
  const ledger = db === null ? null : await readLedger(db)
  const names = await migrationNames(folder)
  rejectFailed(names, ledger ?? [])
  const pending = new Set(pendingIn(names, ledger))
  const planned: PlannedMigration[] = []
  for (const name of names.filter((one) => pending.has(one))) {
    const migration = await readMigration(folder, name)
    const row = ledger?.findLast((one) => one.name === name && one.state === 'under way')
    const left = migration.steps.slice(row?.steps ?? 0)
    const steps = left.map((step) => ({ runs: step.kind, locks: ledger === null ? [] : step.locks }))
    planned.push({ name, steps, minimumVersion: raisedTo(migration.sql), begun: row !== undefined })
  }
  return planned
}

const raisedTo = (sql: string): string | null => /minimum_version"?\s*=\s*'([^']+)'/i.exec(sql)?.[1] ?? null
