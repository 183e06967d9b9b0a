const CACHED_DOCUMENTS = 256
const CACHED_CHARACTERS = 2 ** 20
const MAX_CACHED_LENGTH = 2 ** 14

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
