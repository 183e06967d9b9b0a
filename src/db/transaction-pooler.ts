import type { Client } from 'pg'
import { errorCode } from '../values/data-directory.ts'

const POLLS = 5
/** PgBouncer's answer to `begin` in statement mode. */
const PROTOCOL_VIOLATION = '08P01'
const PID = 'select pg_backend_pid() as pid'

/**
 * Whether a pooler changes the server connection with each transaction, which loses locks and channels. A second client holds a
 * transaction open while this compares process numbers.
 * @param pid PostgreSQL process of `client` just before
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
