import { AwaitedFirst } from './awaited-first.ts'

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

/** Requests that somebody waits for come first, as in {@link AwaitedFirst}. */
export class Semaphore {
  readonly #limit: () => number
  readonly #waiting = new AwaitedFirst<() => void>()
  #inUse = 0

  /** @param limit asked at each request and release */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  get inUse(): number {
    return this.#inUse
  }

  /** The part of the limit that is in use; infinite without a limit. */
  get load(): number {
    const limit = this.#limit()
    return limit > 0 ? this.#inUse / limit : Number.POSITIVE_INFINITY
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * @param awaitedBy account whose caller waits for the work
   * @throws the signal's reason if it aborts during the wait
   */
  async acquire(signal: AbortSignal, awaitedBy?: string): Promise<Release> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#inUse < this.#limit()) this.#inUse++
    else await this.#queue(signal, awaitedBy)
    return releaseOnce(() => this.#release())
  }

  /**
   * @param awaitedBy account whose caller waits for the work
   * @throws the signal's reason if it aborts during the wait
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>, awaitedBy?: string): Promise<T> {
    const release = await this.acquire(signal, awaitedBy)
    return work().finally(release)
  }

  /** To be called after the limit may have risen. */
  grant(): void {
    while (this.#inUse < this.#limit()) {
      const next = this.#waiting.take()
      if (next === undefined) return
      this.#inUse++
      next()
    }
  }

  #queue(signal: AbortSignal, awaitedBy: string | undefined): Promise<void> {
    return waitForGrant(
      { signal },
      {
        add: (grant) => {
          this.#waiting.add(grant, awaitedBy)
          this.grant()
        },
        remove: (grant) => this.#waiting.remove(grant),
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
