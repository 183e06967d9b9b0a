/** The first call of a quiet time goes through at once; those that follow within `spacingMs` become one, at its end. Each name has its own. */
export class Debounce {
  readonly #work: (name: string) => void
  readonly #spacingMs: number
  /** The names that are not quiet, and whether they were called since. */
  readonly #pending = new Map<string, boolean>()

  constructor(work: (name: string) => void, spacingMs: number) {
    this.#work = work
    this.#spacingMs = spacingMs
  }

  call(name: string): void {
    if (this.begin(name)) this.#work(name)
    else this.#pending.set(name, true)
  }

  /** Whether it is quiet: then the caller does itself what `call` would do. */
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
