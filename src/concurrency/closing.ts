import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'

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
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not close within ${limitMs / 1000} s`)), limitMs)
  })
  try {
    return (await Promise.race([close(), late])) !== false
  } catch (error) {
    log.error({ what, ...describeError(error) }, 'could not stop cleanly')
    return false
  } finally {
    clearTimeout(timer)
  }
}
