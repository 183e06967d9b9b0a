import { releaseOnce, waitForGrant } from './permit.ts'

/** Grants so many permits at once; the other requests wait in the order in which they came. */
export class Semaphore {
  readonly #limit: () => number
  readonly #waiting = new Set<() => void>()
  #inUse = 0

  /** @param limit how many permits there are now; asked whenever one is requested or released */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Permits that are granted now. */
  get inUse(): number {
    return this.#inUse
  }

  /** Requests that wait for a permit. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Waits for a permit.
   * @returns what releases it, once however often it is called
   * @throws the signal's reason when it is aborted while waiting
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#inUse < this.#limit()) this.#inUse++
    else await this.#queue(signal)
    return releaseOnce(() => this.#release())
  }

  /** Holds a permit while `work` lasts. @throws the signal's reason when it is aborted while waiting */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(signal)
    return work().finally(release)
  }

  /** Grants what can be granted now: to be called when the limit may have risen. A granted request counts at once: none that comes later overtakes. */
  grant(): void {
    for (const next of this.#waiting) {
      if (this.#inUse >= this.#limit()) return
      this.#waiting.delete(next)
      this.#inUse++
      next()
    }
  }

  #queue(signal: AbortSignal): Promise<void> {
    return waitForGrant(signal, {
      add: (grant) => {
        this.#waiting.add(grant)
        this.grant()
      },
      remove: (grant) => this.#waiting.delete(grant),
    })
  }

  #release(): void {
    this.#inUse--
    this.grant()
  }
}
