const CACHED_DOCUMENTS = 256
/** Parsed, a document takes up to a hundred bytes for each of its characters: one of comments alone is nothing but tokens. */
const CACHED_CHARACTERS = 2 ** 20
/** What users and programs send again and again is smaller. */
const MAX_CACHED_LENGTH = 2 ** 14

interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

/** Keeps what belongs to a document, and forgets the oldest: unbounded, a few hundred large ones take gigabytes. */
export function boundedCache<T>(): Cache<T> {
  const entries = new Map<string, T>()
  let characters = 0
  const forget = (key: string): void => {
    if (entries.delete(key)) characters -= key.length
  }
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      if (key.length > MAX_CACHED_LENGTH) return
      forget(key)
      entries.set(key, value)
      characters += key.length
      while (entries.size > CACHED_DOCUMENTS || characters > CACHED_CHARACTERS) {
        forget(entries.keys().next().value as string)
      }
    },
  }
}
