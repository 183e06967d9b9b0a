import { LRUCache } from 'lru-cache'

interface WindowCounterOptions {
  readonly windowMs: number
  readonly maxKeys: number
}

interface Counted {
  readonly count: number
  readonly msLeft: number
}

/** Counts per key in a fixed window that begins with the first count. */
export class WindowCounter {
  readonly #windowMs: number
  readonly #counts: LRUCache<string, number>

  constructor({ windowMs, maxKeys }: WindowCounterOptions) {
    this.#windowMs = windowMs
    // Later counts do not extend a window.
    // Unlike `max`, `maxSize` allocates nothing in advance.
    const bound = { maxSize: maxKeys, sizeCalculation: () => 1 }
    this.#counts = new LRUCache({ ...bound, ttl: windowMs, noUpdateTTL: true })
  }

  get size(): number {
    return this.#counts.size
  }

  get(key: string): Counted {
    const count = this.#counts.get(key)
    if (count === undefined) return { count: 0, msLeft: 0 }
    return { count, msLeft: Math.min(this.#windowMs, this.#counts.getRemainingTTL(key)) }
  }

  add(key: string): Counted {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return this.get(key)
  }

  takeBack(key: string): void {
    const count = this.#counts.get(key)
    if (count === undefined) return
    if (count > 1) this.#counts.set(key, count - 1)
    else this.#counts.delete(key)
  }

  forget(key: string): void {
    this.#counts.delete(key)
  }
}
