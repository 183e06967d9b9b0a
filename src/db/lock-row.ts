import type { PrismaTx, Tx } from './database.ts'

type Lockable = 'account' | 'companion_chat' | 'user'

/** Locks a row against changes; other rows may still reference it. Prisma Client has no row locks. */
export async function lockRow(tx: PrismaTx, table: Lockable, id: string): Promise<void> {
  await tx.$executeRawUnsafe(lockOf(table), id)
}

export async function lockRowIn(tx: Pick<Tx, 'query'>, table: Lockable, id: string): Promise<void> {
  await tx.query(lockOf(table), [id])
}

const lockOf = (table: Lockable): string => `select from "${table}" where id = $1 for no key update`

const PAGE_ROWS = 1000

/** Deletes expired rows page by page and skips locked rows, because another lock order could deadlock. */
export async function deleteExpired(pool: Pick<Tx, 'query'>, table: 'session' | 'sign_in_link', at: Date) {
  const text = `delete from ${table} where ctid = any(array(
    select ctid from ${table} where expires_at <= $1 order by expires_at limit ${PAGE_ROWS} for update skip locked))`
  for (let rows = PAGE_ROWS; rows === PAGE_ROWS; ) rows = (await pool.query(text, [at])).rowCount ?? 0
}
