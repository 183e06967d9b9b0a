import { LRUCache } from 'lru-cache'

interface WindowCounterOptions {
  readonly windowMs: number
  /** The most keys that are kept: beyond it the one that was counted longest ago is forgotten. */
  readonly maxKeys: number
}

/** Counts what happens under a key in a fixed window that begins with the first count. The memory it takes is bounded. */
export interface WindowCounter {
  /** How many there were in the key's window, and how long that still lasts in milliseconds; 0 and 0 without a window. */
  look(key: string): Counted
  /** One more. */
  add(key: string): Counted
  /** One less: it did not count after all. */
  takeBack(key: string): void
  forget(key: string): void
  readonly size: number
}

interface Counted {
  readonly count: number
  readonly msLeft: number
}

export function openWindowCounter({ windowMs, maxKeys }: WindowCounterOptions): WindowCounter {
  // A window lasts from its first count, however many follow.
  const counts = new LRUCache<string, number>({ max: maxKeys, ttl: windowMs, noUpdateTTL: true })
  const look = (key: string): Counted => {
    const count = counts.get(key)
    return count === undefined
      ? { count: 0, msLeft: 0 }
      : { count, msLeft: Math.min(windowMs, counts.getRemainingTTL(key)) }
  }
  return {
    look,
    add: (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return look(key)
    },
    takeBack: (key) => {
      const count = counts.get(key)
      if (count === undefined) return
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    },
    forget: (key) => void counts.delete(key),
    get size() {
      return counts.size
    },
  }
}
