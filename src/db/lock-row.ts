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

/** So many rows a statement: nobody waits for it for long. */
const PAGE_ROWS = 1000

/**
 * Deletes what has expired by then, page by page, but for rows that a transaction holds: one that locks rows in another order, as those of
 * one user, could not be waited for without a deadlock. They are left for the next time.
 */
export async function deleteExpired(pool: Pick<Tx, 'query'>, table: 'session' | 'sign_in_link', at: Date) {
  const text = `delete from ${table} where ctid = any(array(
    select ctid from ${table} where expires_at <= $1 order by expires_at limit ${PAGE_ROWS} for update skip locked))`
  for (let rows = PAGE_ROWS; rows === PAGE_ROWS; ) rows = (await pool.query(text, [at])).rowCount ?? 0
}
