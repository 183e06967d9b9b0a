import type { Client, QueryResult } from 'pg'
import { errorCode } from '../../values/data-directory.ts'
import { LOCK_TIMEOUT_MS } from './until-unlocked.ts'
import { watchWaits } from './watch-waits.ts'

/** Where the steps run, and from where their waits are ended: a session that waits cannot do so itself. */
export interface Sessions {
  readonly client: Client
  readonly guard: Client
}

const CANCELLED = '57014'

/** What commits together, and waits for no lock for long, nor for all of its locks together: see `untilUnlocked`. */
export async function inTransaction({ client, guard }: Sessions, work: () => Promise<void>): Promise<void> {
  const begin = `begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; select pg_backend_pid() as pid`
  const begun = (await client.query(begin)) as unknown as readonly QueryResult<{ pid: number }>[]
  const watch = watchWaits(guard, begun.at(-1)?.rows[0]?.pid as number)
  try {
    await work()
    await watch.stop()
    await client.query('commit')
  } catch (error) {
    await watch.stop().catch(() => undefined)
    // Where the connection is gone, so is the transaction.
    await client.query('rollback').catch(() => undefined)
    throw watch.hasEndedIt() && errorCode(error) === CANCELLED ? new WaitedForLocks(error) : error
  }
}

/** As PostgreSQL says it of a single lock. */
class WaitedForLocks extends Error {
  readonly code = '55P03'

  constructor(cause: unknown) {
    super('canceling statement due to lock timeout', { cause })
  }
}
