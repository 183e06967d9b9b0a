import { setTimeout as pause, setTimeout as wait } from 'node:timers/promises'
import type { Client, QueryResult } from 'pg'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'

const CANCELLED = '57014'
/** Writes queue up behind a waiting step, and no write may wait a second. */
const LOCK_TIMEOUT_MS = 700
const PAUSE_MS = 1_000
const MAX_ATTEMPTS = 300
/** lock_not_available, deadlock_detected, serialization_failure. */
const CONTENTION: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001'])
const LOOK_MS = 50
const LOOK = `
  select $2::boolean and pg_cancel_backend(pid) as ended from pg_stat_activity
  where pid = $1 and datname = current_database() and wait_event_type = 'Lock'`

/** `guard` cancels the waits of `client`, which cannot do so itself. */
export interface Sessions {
  readonly client: Client
  readonly guard: Client
}

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

/**
 * Repeats a step while locks block it, for some minutes.
 * @throws what the step throws; LockedForGood, which the ledger does not record as a failure
 */
export async function untilUnlocked(name: string, log: Log, step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (!CONTENTION.has(errorCode(error))) throw error
      if (attempt === MAX_ATTEMPTS) throw new LockedForGood(name, error)
      if (attempt % 10 === 1)
        log.warn({ migration: name, attempt }, 'a migration waits for a lock that a long transaction holds')
      await wait(PAUSE_MS)
    }
  }
}

export class LockedForGood extends Error {
  constructor(name: string, cause: unknown) {
    super(
      `The migration ${name} found its tables locked for ${(MAX_ATTEMPTS * (PAUSE_MS + LOCK_TIMEOUT_MS)) / 60_000} minutes: end the long transactions (pg_stat_activity), then start again.`,
      { cause },
    )
  }
}

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
function watchWaits(guard: Client, pid: number): WaitWatch {
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
