/** Makes one thing for each key, however often it is asked for: all calls share its promise. After a failure it is made again. */
export class SingleFlight<Result> {
  readonly #make: (key: string) => Promise<Result>
  readonly #made = new Map<string, Promise<Result>>()

  constructor(make: (key: string) => Promise<Result>) {
    this.#make = make
  }

  /** The keys of what was made or is being made. */
  get keys(): string[] {
    return [...this.#made.keys()]
  }

  /** What was made or is being made. */
  get all(): Promise<Result>[] {
    return [...this.#made.values()]
  }

  /** @throws what making it throws */
  get(key: string): Promise<Result> {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = this.#make(key)
    this.#made.set(key, made)
    made.catch(() => this.#made.delete(key))
    return made
  }
}
