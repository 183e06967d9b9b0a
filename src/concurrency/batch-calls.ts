import { setTimeout as wait } from 'node:timers/promises'
import { inTime } from './in-time.ts'
import { nextTurn } from './next-turn.ts'

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Results in the order of the items. */
type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

interface BatchOptions {
  readonly spacingMs?: number
  /** After this the next batch starts anyway; absent: never. */
  readonly longestWaitMs?: number
  /** If one item caused the error and nothing was written, each is worked alone. */
  readonly isOfOne?: (error: unknown) => boolean
}

/** Groups single calls into batches: calls during a batch form the next one. */
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

  /** @throws the error of the item's batch, or of the item alone */
  call(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isBusy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isBusy = true
    await nextTurn()
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
    return longestWaitMs === undefined ? run : inTime(longestWaitMs, run, () => undefined)
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

/** Gives each row to the first call for its key only. */
export function takeRows<Row>(keys: readonly string[], rows: Map<string, Row>): (Row | undefined)[] {
  return keys.map((key) => {
    const row = rows.get(key)
    rows.delete(key)
    return row
  })
}
