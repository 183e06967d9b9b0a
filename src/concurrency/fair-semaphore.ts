import { releaseOnce, waitForGrant } from './permit.ts'
import { Tally } from './tally.ts'

/**
 * The key that has waited longest since its last grant is next.
 * `perKey` keeps permits free for others.
 */
export class FairSemaphore {
  readonly #limit: number
  readonly #perKey: number
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #inUse = new Tally()

  constructor(limit: number, perKey = limit) {
    this.#limit = limit
    this.#perKey = perKey
  }

  /**
   * @returns a release that acts once
   * @throws the signal's reason if it aborts during the wait
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
