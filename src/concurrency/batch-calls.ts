import { setTimeout as wait } from 'node:timers/promises'

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Turns many single calls into few statements: what is asked while one batch is under way makes up the next one. A call alone goes out at
 * once. `work` answers in the order of the items; when it throws, all of its calls do.
 * @param spacingMs least time between the starts of two batches: where no caller waits for the answers, fewer and larger ones cost less
 */
export function batchCalls<Item, Result>(
  maxItems: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  spacingMs = 0,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let busy = false
  const flush = async (): Promise<void> => {
    busy = true
    // Calls in the same turn of the event loop join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const next = performance.now() + spacingMs
      const batch = waiting.splice(0, maxItems)
      try {
        const results = await work(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      const rest = next - performance.now()
      if (rest > 0) await wait(rest)
    }
    busy = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!busy) void flush()
    })
}
