import type { FairSemaphore } from '../../concurrency/fair-semaphore.ts'

export const BATCH_WAIT = '250ms'
const LONGEST_WAIT = '1s'
const HELD_UP = '55P03'

/**
 * SQL condition, always true, that limits lock waits from then on in its statement, without an extra round trip.
 * @param wait SQL of the longest wait; null: keeps the limit of its transaction
 */
export const limitingLockWaits = (wait: string): string =>
  `(select set_config('lock_timeout', coalesce(${wait}::text, current_setting('lock_timeout')), true)) is not null`

export const isHeldUp = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === HELD_UP

/**
 * Repeats a write until the locks are free. After a short first wait, writes take turns by owner, so they never use all connections.
 * @param write waits for a lock no longer than the given time, and writes nothing if that fails
 */
export async function outwaitLocks<T>(
  { lockWaits }: { readonly lockWaits: FairSemaphore },
  owner: string,
  write: (longest: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const release = attempt === 0 ? undefined : await lockWaits.acquire(owner)
    try {
      return await write(attempt === 0 ? BATCH_WAIT : LONGEST_WAIT)
    } catch (error) {
      if (!isHeldUp(error)) throw error
    } finally {
      release?.()
    }
  }
}
