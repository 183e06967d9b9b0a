const CACHED_DOCUMENTS = 256

export interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

/** Forgets the oldest document: unbounded, a few hundred large ones take gigabytes. */
export function boundedCache<T>(): Cache<T> {
  const entries = new Map<string, T>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      if (entries.size >= CACHED_DOCUMENTS) entries.delete(entries.keys().next().value as string)
      entries.set(key, value)
    },
  }
}
