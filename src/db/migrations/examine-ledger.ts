import { type LedgerRow, type Queryable, readLedger } from './ledger.ts'
import { pendingIn } from './migrate.ts'
import { MIGRATIONS, migrationNames } from './migration-files.ts'

export interface LedgerExamination {
  readonly pending: readonly string[]
  readonly newer: readonly string[]
  /** They block migrations until an operator repairs those that this program knows. */
  readonly failed: readonly FailedMigration[]
}

interface FailedMigration {
  readonly name: string
  readonly isKnown: boolean
  readonly reason: string | null
}

export async function examineLedger(db: Queryable, folder = MIGRATIONS): Promise<LedgerExamination> {
  const ledger = (await readLedger(db)) ?? []
  const names = await migrationNames(folder)
  const failed = ledger.filter(({ state }) => state === 'failed')
  const hasFailed = (name: string): boolean => failed.some((row) => row.name === name)
  const newer = ledger.filter(({ name, state }) => !names.includes(name) && state !== 'rolled back')
  return {
    pending: pendingIn(names, ledger).filter((name) => !hasFailed(name)),
    newer: [...new Set(newer.map(({ name }) => name))].filter((name) => !hasFailed(name)),
    failed: failed.map((row) => ({ name: row.name, isKnown: names.includes(row.name), reason: reasonOf(row) })),
  }
}

const reasonOf = ({ logs }: LedgerRow): string | null => logs?.trim().split('\n', 1)[0] || null
