/**
 * Begins the items in their order, at most `most` at once. After the first failure it begins no more and waits for those under way.
 * @returns the results in the order of the items
 * @throws the first failure
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const queue = items.entries()
  const results: Result[] = []
  const failures: unknown[] = []
  const runNext = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, runNext))
  if (failures.length > 0) throw failures[0]
  return results
}
