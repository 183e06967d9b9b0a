import type { Client, QueryResult } from 'pg'
import { errorCode } from '../../values/data-directory.ts'
import { LOCK_TIMEOUT_MS } from './until-unlocked.ts'
import { watchWaits } from './watch-waits.ts'

/** `guard` cancels the waits of `client`, which cannot do so itself. */
export interface Sessions {
  readonly client: Client
  readonly guard: Client
}

const CANCELLED = '57014'

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
    await client.query('rollback').catch(() => undefined)
    throw watch.hasEndedIt() && errorCode(error) === CANCELLED ? new WaitedForLocks(error) : error
  }
}

class WaitedForLocks extends Error {
  readonly code = '55P03'

  constructor(cause: unknown) {
    super('canceling statement due to lock timeout', { cause })
  }
}
