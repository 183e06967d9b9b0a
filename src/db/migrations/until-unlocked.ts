import { setTimeout as wait } from 'node:timers/promises'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'

/** Writes queue up behind a waiting step, and no write may wait a second. */
export const LOCK_TIMEOUT_MS = 700
const PAUSE_MS = 1_000
const MAX_ATTEMPTS = 300
/** lock_not_available, deadlock_detected, serialization_failure. */
const CONTENTION: ReadonlySet<string | undefined> = new Set(['55P03', '40P01', '40001'])

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
