import { setTimeout as pause } from 'node:timers/promises'

interface Options<Key, Value> {
  readonly maxBatch: number
  readonly retryMs: number
  work(batch: ReadonlyMap<Key, Value>): Promise<void>
  /** What waits where the same key comes twice. */
  merge(older: Value, newer: Value): Value
  /** The batch is worked on again a little later. */
  onFailure(error: Error): void
}

/** Works on what is added to it, a batch at a time: what comes meanwhile makes up the next one. */
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
    // What is added in one go is one batch.
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
