import { LRUCache } from 'lru-cache'

interface WindowCounterOptions {
  readonly windowMs: number
  /** The most keys that are kept: beyond it the one that was counted longest ago is forgotten. */
  readonly maxKeys: number
}

interface Counted {
  readonly count: number
  /** How long the window still lasts, in milliseconds. */
  readonly msLeft: number
}

/** Counts what happens under a key in a fixed window that begins with the first count. The memory it takes is bounded. */
export class WindowCounter {
  readonly #windowMs: number
  readonly #counts: LRUCache<string, number>

  constructor({ windowMs, maxKeys }: WindowCounterOptions) {
    this.#windowMs = windowMs
    // A window lasts from its first count, however many follow.
    // By `max`, what all of the keys would need is taken at once.
    const bound = { maxSize: maxKeys, sizeCalculation: () => 1 }
    this.#counts = new LRUCache({ ...bound, ttl: windowMs, noUpdateTTL: true })
  }

  /** Keys that have a window. */
  get size(): number {
    return this.#counts.size
  }

  /** How many there were in the key's window; 0 and 0 without one. */
  get(key: string): Counted {
    const count = this.#counts.get(key)
    if (count === undefined) return { count: 0, msLeft: 0 }
    return { count, msLeft: Math.min(this.#windowMs, this.#counts.getRemainingTTL(key)) }
  }

  /** One more. */
  add(key: string): Counted {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return this.get(key)
  }

  /** One less: it did not count after all. */
  takeBack(key: string): void {
    const count = this.#counts.get(key)
    if (count === undefined) return
    if (count > 1) this.#counts.set(key, count - 1)
    else this.#counts.delete(key)
  }

  /** Ends the key's window. */
  forget(key: string): void {
    this.#counts.delete(key)
  }
}
