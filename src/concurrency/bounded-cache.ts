import { LRUCache } from 'lru-cache'

const LIMITS = { max: 256, maxSize: 2 ** 20, maxEntrySize: 2 ** 14 }

/** Keeps 256 documents of at most 16 Ki characters each, and 1 Mi characters together. */
export class BoundedCache<T extends object | number | string> extends LRUCache<string, T> {
  constructor() {
    super({ ...LIMITS, sizeCalculation: (_value, { length }) => length || 1 })
  }
}
