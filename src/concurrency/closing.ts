import { describeError } from '../errors/describe-error.ts'
import type { Log } from '../values/log.ts'

/** One thing that was opened, and how it is closed. */
export interface Closer {
  /** Named in the log where it does not close. */
  readonly what: string
  /** Answers false where it failed and has logged so itself. */
  close(): Promise<unknown>
}

/** Closes one after the other, newest first: one that fails or hangs keeps none of the others open. False where one did. */
export async function closeInTurn(closers: Closer[], limitMs: number, log: Log): Promise<boolean> {
  let clean = true
  for (const closer of closers.splice(0).reverse()) clean = (await closeWithin(closer, limitMs, log)) && clean
  return clean
}

/** Waits for the end, or for `limitMs` at the longest. False where it failed or did not end in time, which is logged. */
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
