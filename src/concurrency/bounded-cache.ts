const CACHED_DOCUMENTS = 256
/** Parsed, a document takes up to a hundred bytes for each of its characters: one of comments alone is nothing but tokens. */
const CACHED_CHARACTERS = 2 ** 20
/** What users and programs send again and again is smaller. */
const MAX_CACHED_LENGTH = 2 ** 14

/** Keeps what belongs to a document, and forgets the oldest: unbounded, a few hundred large ones take gigabytes. */
export class BoundedCache<T> {
  readonly #entries = new Map<string, T>()
  #characters = 0

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    if (key.length > MAX_CACHED_LENGTH) return
    this.#forget(key)
    this.#entries.set(key, value)
    this.#characters += key.length
    while (this.#entries.size > CACHED_DOCUMENTS || this.#characters > CACHED_CHARACTERS) {
      this.#forget(this.#entries.keys().next().value as string)
    }
  }

  #forget(key: string): void {
    if (this.#entries.delete(key)) this.#characters -= key.length
  }
}
