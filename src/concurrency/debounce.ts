/** Passes the first call at once and merges those of the next `spacingMs` into one, for each name. */
export class Debounce {
  readonly #work: (name: string) => void
  readonly #spacingMs: number
  readonly #pending = new Map<string, boolean>()

  constructor(work: (name: string) => void, spacingMs: number) {
    this.#work = work
    this.#spacingMs = spacingMs
  }

  call(name: string): void {
    if (this.begin(name)) this.#work(name)
    else this.#pending.set(name, true)
  }

  /** Returns true if the caller may act at once instead of `call`. */
  begin(name: string): boolean {
    if (this.#pending.has(name)) return false
    this.#pending.set(name, false)
    setTimeout(() => this.#end(name), this.#spacingMs).unref()
    return true
  }

  #end(name: string): void {
    const wasCalled = this.#pending.get(name) === true
    this.#pending.delete(name)
    if (wasCalled) this.call(name)
  }
}
