/** Gives a permit back. Acts once, however often it is called. */
export type Release = () => void

export interface LongestWait {
  readonly ms: number
  /** The error after that time. */
  readonly error: () => Error
}

interface Patience {
  readonly signal: AbortSignal | undefined
  readonly longestWait?: LongestWait | undefined
}

interface Waiting {
  add(grant: () => void): void
  remove(grant: () => void): void
}

/** @throws the signal's reason if it aborts first; the error of the longest wait */
export async function waitForGrant({ signal, longestWait }: Patience, waiting: Waiting): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = (reason: unknown) => {
    waiting.remove(resolve)
    reject(reason)
  }
  const abort = () => giveUp(signal?.reason)
  const timer = longestWait && setTimeout(() => giveUp(longestWait.error()), longestWait.ms)
  signal?.addEventListener('abort', abort, { once: true })
  waiting.add(resolve)
  await promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  })
}

export function releaseOnce(release: () => void): Release {
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    release()
  }
}
