import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'

/**
 * How long a step waits for a lock at once. Writes that come meanwhile queue up behind it, so it is less than the second that no write
 * may wait.
 */
export const LOCK_TIMEOUT_MS = 700
/** In between, what queued up behind the step is served. */
const PAUSE_MS = 1_000
const MAX_ATTEMPTS = 300
/** lock_not_available, deadlock_detected, serialization_failure. */
const CONTENTION: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001'])

/**
 * Repeats a step for as long as what it needs is locked: some minutes.
 * @throws what the step throws; one sentence where the lock was never free, which the ledger does not record as a failure
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

/** Says nothing about the migration: the next start tries again. */
export class LockedForGood extends Error {
  constructor(name: string, cause: unknown) {
    super(
      `The migration ${name} found its tables locked for ${(MAX_ATTEMPTS * (PAUSE_MS + LOCK_TIMEOUT_MS)) / 60_000} minutes: end the long transactions (pg_stat_activity), then start again.`,
      { cause },
    )
  }
}
