import type { GraphqlContext } from './builder.ts'

interface Batch<Value> {
  readonly keys: Set<string>
  readonly values: Promise<ReadonlyMap<string, Value>>
}

/**
 * Turns "one for each" into "all at once": the keys that resolvers of one operation ask for in one turn are loaded together. A key that
 * was loaded is asked for anew: what a mutation changed is never remembered.
 */
export function batched<Value>(
  load: (ctx: GraphqlContext, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (ctx: GraphqlContext, key: string) => Promise<Value | undefined> {
  const open = new WeakMap<GraphqlContext, Batch<Value>>()
  const begin = (ctx: GraphqlContext): Batch<Value> => {
    const keys = new Set<string>()
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      open.delete(ctx)
      return load(ctx, [...keys])
    })
    const batch = { keys, values }
    open.set(ctx, batch)
    return batch
  }
  return async (ctx, key) => {
    const batch = open.get(ctx) ?? begin(ctx)
    batch.keys.add(key)
    return (await batch.values).get(key)
  }
}
