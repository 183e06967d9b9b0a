import { type LedgerRow, type Queryable, readLedger } from './ledger.ts'
import { pendingIn } from './migrate.ts'
import { MIGRATIONS, migrationNames } from './migration-files.ts'

/** How a database stands to this program's migrations. A migration is in one of the lists at most. */
export interface LedgerExamination {
  /** To be applied, oldest first. */
  readonly pending: readonly string[]
  /** Applied or begun by a newer program. */
  readonly newer: readonly string[]
  /** Failed half-way: until an operator has mended those that this program knows, nothing is applied. */
  readonly failed: readonly FailedMigration[]
}

interface FailedMigration {
  readonly name: string
  /** Whether this program knows it, and so cannot do without it. */
  readonly isKnown: boolean
  /** What the database said, in one line; null: it is not known. */
  readonly reason: string | null
}

/** Changes nothing. */
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
