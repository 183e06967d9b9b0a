import type { PrismaTx, Tx } from './database.ts'

type Lockable = 'account' | 'companion_chat' | 'user'

/**
 * Makes transactions that change one row, or depend on it, wait for each other. Rows that refer to it may be added meanwhile. SQL: Prisma
 * Client has no lock of a row.
 */
export async function lockRow(tx: PrismaTx, table: Lockable, id: string): Promise<void> {
  await tx.$executeRawUnsafe(lockOf(table), id)
}

/** The same in a transaction of the pool. */
export async function lockRowIn(tx: Pick<Tx, 'query'>, table: Lockable, id: string): Promise<void> {
  await tx.query(lockOf(table), [id])
}

const lockOf = (table: Lockable): string => `select from "${table}" where id = $1 for no key update`
