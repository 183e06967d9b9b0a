/** A concurrency key is two words, `account receiver`, each with its own limit. */
export interface KeyedLimits {
  readonly perAccount: number
  /** Half of what all accounts together have at one receiver. */
  readonly perReceiver: number
}

export interface ConcurrencyKeys {
  readonly account: string
  readonly receiver: string
  readonly own: string
}

const MAX_SPLIT_KEYS = 4096

const splitKeys = new Map<string, ConcurrencyKeys>()

export function keysOf(key: string): ConcurrencyKeys {
  const known = splitKeys.get(key)
  if (known !== undefined) return known
  const space = key.indexOf(' ')
  const keys = { account: `a ${key.slice(0, space)}`, receiver: `r ${key.slice(space + 1)}`, own: `l ${key}` }
  if (splitKeys.size >= MAX_SPLIT_KEYS) splitKeys.clear()
  splitKeys.set(key, keys)
  return keys
}

export const hasCapacity = (limits: KeyedLimits, inUse: ReadonlyMap<string, number>, keys: ConcurrencyKeys): boolean =>
  limits.perAccount > (inUse.get(keys.account) ?? 0) && shareOf(limits, inUse, keys) > 0

/**
 * A key may take as much again as is free, so one of n accounts gets 1/(n + 1)
 * and a new account always finds capacity.
 */
export const shareOf = (
  { perReceiver }: KeyedLimits,
  inUse: ReadonlyMap<string, number>,
  { receiver, own }: ConcurrencyKeys,
): number => Math.ceil((2 * perReceiver - (inUse.get(receiver) ?? 0) - (inUse.get(own) ?? 0)) / 2)

export function changeUse(inUse: Map<string, number>, keys: readonly string[], change: 1 | -1): void {
  for (const key of keys) {
    const now = (inUse.get(key) ?? 0) + change
    if (now > 0) inUse.set(key, now)
    else inUse.delete(key)
  }
}
