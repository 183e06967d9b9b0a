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

export class Semaphore {
  readonly #limit: () => number
  readonly #waiting = new Set<() => void>()
  #inUse = 0

  /** @param limit asked at each request and release */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** @throws the signal's reason if it aborts during the wait */
  async acquire(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#inUse < this.#limit()) this.#inUse++
    else await this.#queue(signal)
    return releaseOnce(() => this.#release())
  }

  /** @throws the signal's reason if it aborts during the wait */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(signal)
    return work().finally(release)
  }

  /** To be called after the limit may have risen. */
  grant(): void {
    for (const next of this.#waiting) {
      if (this.#inUse >= this.#limit()) return
      this.#waiting.delete(next)
      this.#inUse++
      next()
    }
  }

  #queue(signal: AbortSignal): Promise<void> {
    return waitForGrant(
      { signal },
      {
        add: (grant) => {
          this.#waiting.add(grant)
          this.grant()
        },
        remove: (grant) => this.#waiting.delete(grant),
      },
    )
  }

  #release(): void {
    this.#inUse--
    this.grant()
  }
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
