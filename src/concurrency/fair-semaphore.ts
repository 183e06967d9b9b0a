import { releaseOnce, waitForGrant } from './permit.ts'
import { Tally } from './tally.ts'

/**
 * Grants so many permits at once. The key that has waited longest since it was granted one is next, however many requests of other keys
 * came before. One key may be given a smaller limit of its own, so that others always find some.
 */
export class FairSemaphore {
  readonly #limit: number
  readonly #perKey: number
  /** Requests by key, in the order in which the keys are next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #inUse = new Tally()

  constructor(limit: number, perKey = limit) {
    this.#limit = limit
    this.#perKey = perKey
  }

  /**
   * Waits for a permit.
   * @returns what releases it, once however often it is called
   * @throws the signal's reason when it is aborted while waiting
   */
  async acquire(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    await waitForGrant(signal, {
      add: (grant) => {
        this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), grant])
        this.#grant()
      },
      remove: (grant) => this.#remove(key, grant),
    })
    return releaseOnce(() => this.#release(key))
  }

  /** A granted request counts at once. The rest of its key goes behind the others. */
  #grant(): void {
    for (const [key, [next]] of this.#waiting) {
      if (this.#inUse.total >= this.#limit || next === undefined) return
      if (this.#inUse.of(key) >= this.#perKey) continue
      this.#inUse.add(key)
      const others = this.#remove(key, next)
      if (others.length > 0) {
        this.#waiting.delete(key)
        this.#waiting.set(key, others)
      }
      next()
    }
  }

  /** Returns what the key still waits for. */
  #remove(key: string, request: () => void): (() => void)[] {
    const others = this.#waiting.get(key)?.filter((other) => other !== request) ?? []
    if (others.length > 0) this.#waiting.set(key, others)
    else this.#waiting.delete(key)
    return others
  }

  #release(key: string): void {
    this.#inUse.subtract(key)
    this.#grant()
  }
}
