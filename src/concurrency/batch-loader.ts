import DataLoader from 'dataloader'

type LoadAll<Scope, Value> = (scope: Scope, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>

/** Loads together the keys that one scope asks for in one turn of the event loop. Keeps nothing. */
export class BatchLoader<Scope extends object, Value> {
  readonly #loadAll: LoadAll<Scope, Value>
  readonly #loaders = new WeakMap<Scope, DataLoader<string, Value | undefined>>()

  /** @param loadAll leaves out keys that have no value */
  constructor(loadAll: LoadAll<Scope, Value>) {
    this.#loadAll = loadAll
  }

  /** @returns undefined if the key has no value @throws the error of its batch */
  load(scope: Scope, key: string): Promise<Value | undefined> {
    const loader = this.#loaders.get(scope) ?? this.#open(scope)
    return loader.load(key)
  }

  #open(scope: Scope): DataLoader<string, Value | undefined> {
    const load = async (keys: readonly string[]) => {
      loader.clearAll()
      const values = await this.#loadAll(scope, keys)
      return keys.map((key) => values.get(key))
    }
    const loader = new DataLoader(load, { batchScheduleFn: setImmediate })
    this.#loaders.set(scope, loader)
    return loader
  }
}
