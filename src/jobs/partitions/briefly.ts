import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { isHeldUp } from '../../db/connections/lock-wait.ts'

/** What comes meanwhile queues up behind a lock that is waited for, so each wait is short; in between, it is served. */
const LONGEST_LOCK_WAIT = '100ms'
const PAUSE_MS = 200
const TRIES = 5

/**
 * Runs statements in one transaction that waits for no lock for long, in several tries. They are sent together: a process that is stopped
 * meanwhile holds no lock.
 * @throws what PostgreSQL says, and what `isHeldUp` knows, where another transaction holds a lock in all tries
 */
export async function briefly(client: ClientBase, statements: readonly string[]): Promise<void> {
  const text = [`begin; set local lock_timeout = '${LONGEST_LOCK_WAIT}'`, ...statements, 'commit'].join(';\n')
  for (let tries = 1; ; tries++) {
    try {
      await client.query(text)
      return
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      if (!isHeldUp(error) || tries === TRIES) throw error
    }
    await pause(PAUSE_MS)
  }
}

/**
 * Locks tables for `briefly`, one after the other, with their partitions: the waits come to the longest one together, as what comes
 * meanwhile waits behind the first table for all of them.
 */
export const lockTogether = (tables: readonly string[]): string[] => [
  `set local statement_timeout = '${LONGEST_LOCK_WAIT}'`,
  `do $$ begin lock table ${tables.join(', ')} in access exclusive mode;
    exception when query_canceled then raise lock_not_available; end $$`,
  'set local statement_timeout = 0',
]
