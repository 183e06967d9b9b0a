import type { QueryConfig, QueryResultRow } from 'pg'
import { type Database, inTransaction } from '../../db/database.ts'

/** A row that another transaction holds longer than this must not keep the others of a batch: each is then written alone. */
const LOCK_WAIT = `set local lock_timeout = '250ms'`

/**
 * Runs one statement about `size` rows, in one round trip where it is about one.
 * @throws what the statement throws, for all of its rows: the caller repeats each alone
 */
export async function runBatch<Row extends QueryResultRow>(
  db: Database,
  size: number,
  statement: QueryConfig,
): Promise<Row[]> {
  if (size === 1) return (await db.pool.query<Row>(statement)).rows
  return inTransaction(db, async (tx) => {
    await tx.query(LOCK_WAIT)
    return (await tx.query<Row>(statement)).rows
  })
}
