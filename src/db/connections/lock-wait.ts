import type { FairSemaphore } from '../../concurrency/fair-semaphore.ts'

/** A row that another transaction holds longer than this must not keep the others of a batch: each is then written alone. */
export const BATCH_WAIT = '250ms'
/** What waits longer for a lock waits in turns, so that the connections that do so are few and each owner gets one. */
const LONGEST_WAIT = '1s'
const HELD_UP = '55P03'
const NEVER = new AbortController().signal

/**
 * A condition that is always true, for the part of a statement that reads before any row is locked: from there on the statement waits so
 * long for a lock. It needs no transaction of its own, which takes three more ways to the database.
 * @param wait SQL of the longest wait, such as a parameter; null: as long as its transaction waits
 */
export const limitingLockWaits = (wait: string): string =>
  `(select set_config('lock_timeout', coalesce(${wait}::text, current_setting('lock_timeout')), true)) is not null`

/** Whether a statement was broken off because another transaction held what it was to write. */
export const isHeldUp = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === HELD_UP

/**
 * Writes once the locks that it needs are free, however long another program holds them: after a short wait it is begun anew, in turns that
 * all such writes share, so that they never take all connections.
 * @param owner whose turn it is, such as an account; the one that has waited longest is next
 * @param write waits for a lock no longer than the given time, and has written nothing where it fails for that
 */
export async function outwaitLocks<T>(
  { lockWaits }: { readonly lockWaits: FairSemaphore },
  owner: string,
  write: (longest: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const release = attempt === 0 ? undefined : await lockWaits.acquire(owner, NEVER)
    try {
      return await write(attempt === 0 ? BATCH_WAIT : LONGEST_WAIT)
    } catch (error) {
      if (!isHeldUp(error)) throw error
    } finally {
      release?.()
    }
  }
}
