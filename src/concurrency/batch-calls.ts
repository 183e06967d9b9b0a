import { setTimeout as wait } from 'node:timers/promises'

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Answers in the order of the items. When it throws, all of their calls do, unless the options let them be repeated. */
type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

interface BatchOptions {
  /** Least time between the starts of two batches: where no caller waits for the answers, fewer and larger ones cost less. */
  readonly spacingMs?: number
  /** A batch that takes longer keeps the next one waiting no more: what holds it up may concern none of the others. Absent: for ever. */
  readonly longestWaitMs?: number
  /** Whether one item alone may have made a batch throw this: then nothing of it was written, and each is worked again by itself. */
  readonly isOfOne?: (error: unknown) => boolean
}

/**
 * Turns many single calls into few statements: what is asked while one batch is under way makes up the next one. A call alone goes out at
 * once.
 */
export class BatchedCalls<Item, Result> {
  readonly #maxItems: number
  readonly #work: BatchWork<Item, Result>
  readonly #options: BatchOptions
  readonly #waiting: Waiting<Item, Result>[] = []
  #isBusy = false

  constructor(maxItems: number, work: BatchWork<Item, Result>, options: BatchOptions = {}) {
    this.#maxItems = maxItems
    this.#work = work
    this.#options = options
  }

  /** @throws what the batch throws that the item is in, or the item by itself */
  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isBusy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isBusy = true
    // Calls in the same turn of the event loop join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const next = performance.now() + (this.#options.spacingMs ?? 0)
      await this.#untilHeldUp(this.#run(this.#waiting.splice(0, this.#maxItems)))
      const rest = next - performance.now()
      if (rest > 0) await wait(rest)
    }
    this.#isBusy = false
  }

  async #untilHeldUp(run: Promise<void>): Promise<void> {
    const { longestWaitMs } = this.#options
    if (longestWaitMs === undefined) return run
    let timer: NodeJS.Timeout | undefined
    await Promise.race([run, new Promise((resolve) => (timer = setTimeout(resolve, longestWaitMs)))])
    clearTimeout(timer)
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length > 1 && this.#options.isOfOne?.(error)) for (const one of batch) await this.#run([one])
      else for (const { reject } of batch) reject(error)
    }
  }
}

/** Answers each key with its row, once: of two calls for the same key, only the first gets what one caller may have. */
export function dealOut<Row>(keys: readonly string[], rows: Map<string, Row>): (Row | undefined)[] {
  return keys.map((key) => {
    const row = rows.get(key)
    rows.delete(key)
    return row
  })
}
