import type { QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { Database } from '../database.ts'

/**
 * A statement that only reads and may take long, such as one that counts: over the pool that is there for them, within the owner's share of
 * it, so that it takes nothing from what submits and completes jobs.
 * @param owner whose share it counts against, such as an account
 * @throws RATE_LIMITED while the owner's own reads take all of its share, for 2 s; and what the statement throws
 */
export async function longRead<Row extends QueryResultRow>(
  { readPool, readShares }: Pick<Database, 'readPool' | 'readShares'>,
  owner: string,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const release = await readShares.acquire(owner)
  try {
    return await readPool.query<Row>(statement)
  } finally {
    release()
  }
}

/**
 * The same of a statement that reads jobs one by one, however many there are: one at a time for each owner, as each takes a processor of
 * the server for as long as it lasts.
 * @throws RATE_LIMITED also while the owner's own scan goes on, for 2 s
 */
export async function longScan<Row extends QueryResultRow>(
  db: Pick<Database, 'readPool' | 'readShares' | 'scanShares'>,
  owner: string,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const release = await db.scanShares.acquire(owner)
  try {
    return await longRead<Row>(db, owner, statement)
  } finally {
    release()
  }
}
