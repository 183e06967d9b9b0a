import type { QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { Database } from '../database.ts'
import { readAgain } from './standby.ts'

/**
 * Runs a long read on `readPool` within the owner's share.
 * @throws RATE_LIMITED if the owner's reads use its share for 2 s; what the statement throws
 */
export async function longRead<Row extends QueryResultRow>(
  { readPool, readShares }: Pick<Database, 'readPool' | 'readShares'>,
  owner: string,
  statement: QueryConfig,
): Promise<QueryResult<Row>> {
  const release = await readShares.acquire(owner)
  try {
    return await readAgain(() => readPool.query<Row>(statement))
  } finally {
    release()
  }
}

/**
 * Like `longRead` for statements that scan jobs: one at a time for each owner.
 * @throws RATE_LIMITED also if the owner's other scan takes longer than 2 s
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
