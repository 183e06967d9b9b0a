interface Batch<Value> {
  readonly keys: Set<string>
  readonly values: Promise<ReadonlyMap<string, Value>>
}

/** Loads together the keys that one scope asks for in one turn of the event loop. Caches nothing. */
export class BatchLoader<Scope extends object, Value> {
  readonly #loadAll: (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>
  readonly #open = new WeakMap<Scope, Batch<Value>>()

  /** @param loadAll leaves out keys that have no value */
  constructor(loadAll: (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#loadAll = loadAll
  }

  /** @returns undefined if the key has no value @throws the error of its batch */
  async load(scope: Scope, key: string): Promise<Value | undefined> {
    const batch = this.#open.get(scope) ?? this.#begin(scope)
    batch.keys.add(key)
    return (await batch.values).get(key)
  }

  #begin(scope: Scope): Batch<Value> {
    const keys = new Set<string>()
    const batch = { keys, values: this.#loadLater(scope, keys) }
    this.#open.set(scope, batch)
    return batch
  }

  async #loadLater(scope: Scope, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, Value>> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#open.delete(scope)
    return this.#loadAll(scope, [...keys])
  }
}
