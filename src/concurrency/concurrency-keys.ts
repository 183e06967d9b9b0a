/** A concurrency key is two words, `account receiver`, each with a limit of its own. */
export interface KeyedLimits {
  readonly perAccount: number
  /** For an account that has a receiver to itself: half of what all accounts may have there together. */
  readonly perReceiver: number
}

/** What one of a concurrency key is counted under. */
export interface ConcurrencyKeys {
  readonly account: string
  readonly receiver: string
  /** Both together. */
  readonly own: string
}

/** So many keys are remembered split; then they are forgotten together. */
const MAX_SPLIT_KEYS = 4096

const splitKeys = new Map<string, ConcurrencyKeys>()

/** The two words of a key, split, and the whole: a few keys are asked for thousands of times a second. */
export function keysOf(key: string): ConcurrencyKeys {
  const known = splitKeys.get(key)
  if (known !== undefined) return known
  const space = key.indexOf(' ')
  const keys = { account: `a ${key.slice(0, space)}`, receiver: `r ${key.slice(space + 1)}`, own: `l ${key}` }
  if (splitKeys.size >= MAX_SPLIT_KEYS) splitKeys.clear()
  splitKeys.set(key, keys)
  return keys
}

/** Whether one more of the key fits. */
export const hasCapacity = (limits: KeyedLimits, inUse: ReadonlyMap<string, number>, keys: ConcurrencyKeys): boolean =>
  limits.perAccount > (inUse.get(keys.account) ?? 0) && shareOf(limits, inUse, keys) > 0

/**
 * What a key may still take of its receiver: it gets as much again as is free. One account alone has half of the whole, n of them an
 * n + 1th each: so one that comes last finds capacity, however many of the others hang.
 */
export const shareOf = (
  { perReceiver }: KeyedLimits,
  inUse: ReadonlyMap<string, number>,
  { receiver, own }: ConcurrencyKeys,
): number => Math.ceil((2 * perReceiver - (inUse.get(receiver) ?? 0) - (inUse.get(own) ?? 0)) / 2)

/** Adds to the counts; one that falls to zero is forgotten. */
export function changeUse(inUse: Map<string, number>, keys: readonly string[], change: 1 | -1): void {
  for (const key of keys) {
    const now = (inUse.get(key) ?? 0) + change
    if (now > 0) inUse.set(key, now)
    else inUse.delete(key)
  }
}
