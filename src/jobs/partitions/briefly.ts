import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { isHeldUp } from '../../db/connections/lock-wait.ts'

/** Other transactions queue behind a waiting lock. */
const LONGEST_LOCK_WAIT = '100ms'
const PAUSE_MS = 200
const TRIES = 5

/**
 * Runs statements in one transaction with short lock waits, in several tries. They are sent together, so a suspended process holds no lock.
 * @throws PostgreSQL's errors
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

export const lockTogether = (tables: readonly string[]): string[] => [
  `set local statement_timeout = '${LONGEST_LOCK_WAIT}'`,
  `do $$ begin lock table ${tables.join(', ')} in access exclusive mode;
    exception when query_canceled then raise lock_not_available; end $$`,
  'set local statement_timeout = 0',
]
