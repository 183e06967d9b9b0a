import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { LOCK_TIMEOUT_MS } from './until-unlocked.ts'

const LOOK_MS = 50
const LOOK = `
  select $2::boolean and pg_cancel_backend(pid) as ended from pg_stat_activity
  where pid = $1 and datname = current_database() and wait_event_type = 'Lock'`

export class GuardLost extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

interface WaitWatch {
  /**
   * Afterwards nothing is cancelled.
   * @throws GuardLost
   */
  stop(): Promise<void>
  hasEndedIt(): boolean
}

/**
 * Cancels a session's statement if its lock waits add up to `LOCK_TIMEOUT_MS`. PostgreSQL limits only single waits, while writes
 * queue behind the first lock for the whole step.
 * @param guard another session of the same role
 * @param pid of the watched session
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
  watching.catch(() => undefined)
  return {
    stop: () => {
      stopped.abort()
      return watching
    },
    hasEndedIt: () => hasEndedIt,
  }
}
