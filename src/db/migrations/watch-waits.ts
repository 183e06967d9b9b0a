import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { LOCK_TIMEOUT_MS } from './until-unlocked.ts'

const LOOK_MS = 50
const LOOK = `
  select $2::boolean and pg_cancel_backend(pid) as ended from pg_stat_activity
  where pid = $1 and datname = current_database() and wait_event_type = 'Lock'`

/** The guard cannot look any more: what it says of the step is nothing. */
export class GuardLost extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

interface WaitWatch {
  /** Once it has ended, nothing that the session runs is broken off. @throws GuardLost */
  stop(): Promise<void>
  /** Whether it broke a statement off. */
  hasEndedIt(): boolean
}

/**
 * Breaks off what a session runs when it waits for a lock and its waits come to `LOCK_TIMEOUT_MS` in all: PostgreSQL itself limits each wait
 * alone, and behind the first table that a step has locked writes wait for as long as it waits for all others.
 * @param guard another session of the same role, which nothing else uses meanwhile
 * @param pid of the session whose transaction begins now
 */
export function watchWaits(guard: Client, pid: number): WaitWatch {
  const stopped = new AbortController()
  let hasEndedIt = false
  const watch = async () => {
    for (let [waited, since] = [0, performance.now()]; ; ) {
      await pause(LOOK_MS, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (stopped.signal.aborted) return
      const now = performance.now()
      const sum = waited + now - since
      const { rows } = await guard.query<{ ended: boolean }>(LOOK, [pid, sum >= LOCK_TIMEOUT_MS])
      if (rows.length > 0) waited = sum
      hasEndedIt ||= rows[0]?.ended === true
      since = now
    }
  }
  const watching = watch().catch((error: Error) => {
    throw new GuardLost(error)
  })
  // Told by `stop`, however long the step takes until then.
  watching.catch(() => undefined)
  return {
    stop: () => {
      stopped.abort()
      return watching
    },
    hasEndedIt: () => hasEndedIt,
  }
}
