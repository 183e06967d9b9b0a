import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'
import { inTime } from './in-time.ts'

export interface Closer {
  readonly what: string
  /** Returns false after a failure that it has logged. */
  close(): Promise<unknown>
}

/** Closes newest first, despite failures. Returns false after any. */
export async function closeInTurn(closers: Closer[], limitMs: number, log: Log): Promise<boolean> {
  let clean = true
  for (const closer of closers.splice(0).reverse()) clean = (await closeWithin(closer, limitMs, log)) && clean
  return clean
}

/** Returns false after a failure or timeout, which it logs. */
export async function closeWithin({ what, close }: Closer, limitMs: number, log: Log): Promise<boolean> {
  const late = () => {
    throw new Error(`it did not close within ${limitMs / 1000} s`)
  }
  try {
    return (await inTime(limitMs, close(), late)) !== false
  } catch (error) {
    log.error({ what, ...describeError(error) }, 'could not stop cleanly')
    return false
  }
}
