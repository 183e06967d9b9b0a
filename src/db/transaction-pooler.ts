import type { Client } from 'pg'
import { errorCode } from '../values/data-directory.ts'

/** A busy pooler may give a client the same connection again by chance. */
const POLLS = 5
/** What PgBouncer answers to `begin` where it pools statements. */
const PROTOCOL_VIOLATION = '08P01'
const PID = 'select pg_backend_pid() as pid'

/**
 * Whether a pooler gives its clients another connection to PostgreSQL for every transaction: what a session holds, its locks and what it
 * listens to, is then lost. While a second client is in a transaction, the first one finds itself on another connection, or the second
 * on the first one's. Nothing is left behind.
 * @param pid of the PostgreSQL process that the client was connected with just before
 */
export async function isMultiplexed(client: Client, pid: number, connect: () => Promise<Client>): Promise<boolean> {
  const other = await connect()
  try {
    await other.query('begin')
    if ((await pidOf(other)) === pid) return true
    for (let poll = 0; poll < POLLS; poll++) if ((await pidOf(client)) !== pid) return true
    return false
  } catch (error) {
    if (errorCode(error) === PROTOCOL_VIOLATION) return true
    throw error
  } finally {
    await other.end()
  }
}

const pidOf = async (client: Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>(PID)).rows[0]?.pid
