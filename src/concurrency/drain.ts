import { setTimeout as pause } from 'node:timers/promises'

interface Options<Key, Value> {
  readonly maxBatch: number
  readonly retryMs: number
  work(batch: ReadonlyMap<Key, Value>): Promise<void>
  merge(older: Value, newer: Value): Value
  onFailure(error: Error): void
}

/** Works in batches; keys added during one batch form the next. */
export class Drain<Key, Value> {
  readonly #options: Options<Key, Value>
  readonly #waiting = new Map<Key, Value>()
  #busy = false

  constructor(options: Options<Key, Value>) {
    this.#options = options
  }

  add(key: Key, value: Value): void {
    const older = this.#waiting.get(key)
    this.#waiting.set(key, older === undefined ? value : this.#options.merge(older, value))
    if (!this.#busy) void this.#run()
  }

  async #run(): Promise<void> {
    const { maxBatch, retryMs, work, onFailure } = this.#options
    this.#busy = true
    // Keys added in one turn form one batch.
    await null
    while (this.#waiting.size > 0) {
      const batch = new Map([...this.#waiting].slice(0, maxBatch))
      for (const key of batch.keys()) this.#waiting.delete(key)
      try {
        await work(batch)
      } catch (error) {
        onFailure(error as Error)
        await pause(retryMs, undefined, { ref: false })
        for (const [key, value] of batch) this.add(key, value)
      }
    }
    this.#busy = false
  }
}
