/** Makes one value for each key, shared by all calls, and again only after a failure. */
export class SingleFlight<Result> {
  readonly #make: (key: string) => Promise<Result>
  readonly #made = new Map<string, Promise<Result>>()

  constructor(make: (key: string) => Promise<Result>) {
    this.#make = make
  }

  get keys(): string[] {
    return [...this.#made.keys()]
  }

  get all(): Promise<Result>[] {
    return [...this.#made.values()]
  }

  get(key: string): Promise<Result> {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made = this.#make(key)
    this.#made.set(key, made)
    made.catch(() => this.#made.delete(key))
    return made
  }
}

/** Runs `work` once for all calls, and again only after a failure. */
export function lazily<Result>(work: () => Promise<Result>): () => Promise<Result> {
  const flight = new SingleFlight(work)
  return () => flight.get('')
}
