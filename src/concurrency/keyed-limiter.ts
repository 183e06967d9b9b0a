import { Tally } from './tally.ts'

const MAX_SPLIT_KEYS = 4096

const splitKeys = new Map<string, ConcurrencyKeys>()

/** Smaller limits while a receiver has not answered yet or no longer answers. */
interface Probation {
  readonly perKey: number
  /** For all keys of an account on probation together. */
  readonly perAccount: number
  isResponsive(key: string): boolean
}

/** A concurrency key is two words, `account receiver`, each with its own limit. */
export interface KeyedLimits {
  readonly perAccount: number
  /** One account's limit at one receiver. All accounts together may have twice as many there. */
  readonly perReceiver: number
}

interface ConcurrencyKeys {
  readonly account: string
  readonly receiver: string
  readonly own: string
}

class ProbationUse {
  readonly #probation: Probation | undefined
  readonly #inUse = new Tally()

  constructor(probation: Probation | undefined) {
    this.#probation = probation
  }

  perKey(key: string): number {
    return this.#limitsOf(key)?.perKey ?? Number.POSITIVE_INFINITY
  }

  left(key: string, { account, own }: ConcurrencyKeys): number {
    const limits = this.#limitsOf(key)
    if (limits === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil((limits.perAccount - this.#inUse.of(account) - this.#inUse.of(own)) / 2)
  }

  acquire(key: string, { account, own }: ConcurrencyKeys): void {
    if (this.#limitsOf(key) !== undefined) this.#inUse.add(account, own)
  }

  release({ account, own }: ConcurrencyKeys): void {
    if (this.#inUse.of(own) > 0) this.#inUse.subtract(account, own)
  }

  #limitsOf(key: string): Probation | undefined {
    return this.#probation?.isResponsive(key) === false ? this.#probation : undefined
  }
}

/**
 * Limits what a concurrency key may hold in this process.
 * A key counts as full while it has less capacity than one fetch may bring.
 */
export class KeyedLimiter {
  /** The most jobs of one fetch. */
  readonly batch: number
  readonly leastBatch: number
  readonly #limits: KeyedLimits
  readonly #probation: ProbationUse
  readonly #inUse = new Tally()
  readonly #full = new Map<string, ConcurrencyKeys>()

  constructor(limits: KeyedLimits, probation?: Probation) {
    this.batch = Math.ceil(limits.perReceiver / 2)
    this.leastBatch = Math.min(this.batch, probation?.perKey ?? this.batch)
    this.#limits = limits
    this.#probation = new ProbationUse(probation)
  }

  /** Returns false at the limit. A job without a key has none. */
  tryAcquire(key: string | undefined): boolean {
    if (key === undefined) return true
    const keys = keysOf(key)
    const isTrusted = this.#inUse.of(keys.own) < this.#probation.perKey(key) && this.#probation.left(key, keys) > 0
    const fits = hasCapacity(this.#limits, this.#inUse, keys) && isTrusted
    if (fits) {
      this.#inUse.add(keys.account, keys.receiver, keys.own)
      this.#probation.acquire(key, keys)
    }
    if (this.#isFull(key, keys)) this.#full.set(key, keys)
    return fits
  }

  release(key: string | undefined): boolean {
    if (key === undefined) return false
    const keys = keysOf(key)
    this.#inUse.subtract(keys.account, keys.receiver, keys.own)
    this.#probation.release(keys)
    for (const [full, its] of this.#full) {
      const isRelated = its.account === keys.account || its.receiver === keys.receiver
      if (isRelated && !this.#isFull(full, its)) return true
    }
    return false
  }

  hasReopened(): boolean {
    return [...this.#full].some(([key, keys]) => !this.#isFull(key, keys))
  }

  full(): string[] {
    for (const [key, keys] of this.#full) if (!this.#isFull(key, keys)) this.#full.delete(key)
    return [...this.#full.keys()]
  }

  #isFull(key: string, keys: ConcurrencyKeys): boolean {
    const { perAccount } = this.#limits
    const own = this.#inUse.of(keys.own)
    const share = shareOf(this.#limits, this.#inUse, keys)
    const [trial, trials] = [this.#probation.perKey(key), this.#probation.left(key, keys)]
    return (
      this.#isShort(perAccount - this.#inUse.of(keys.account), perAccount) ||
      this.#isShort(share, share + own) ||
      this.#isShort(trial - own, trial) ||
      this.#isShort(trials, trials + own)
    )
  }

  #isShort(left: number, limit: number): boolean {
    return left < Math.max(1, Math.min(this.batch, Math.ceil(limit / 2)))
  }
}

export function keysOf(key: string): ConcurrencyKeys {
  const known = splitKeys.get(key)
  if (known !== undefined) return known
  const space = key.indexOf(' ')
  const keys = { account: `a ${key.slice(0, space)}`, receiver: `r ${key.slice(space + 1)}`, own: `l ${key}` }
  if (splitKeys.size >= MAX_SPLIT_KEYS) splitKeys.clear()
  splitKeys.set(key, keys)
  return keys
}

export const hasCapacity = (limits: KeyedLimits, inUse: Tally, keys: ConcurrencyKeys): boolean =>
  limits.perAccount > inUse.of(keys.account) && shareOf(limits, inUse, keys) > 0

/**
 * A key may hold as many as stay free beside it. Of 8 at a receiver a lone account gets 4 and a second one 2, so a new account always
 * finds capacity.
 */
const shareOf = ({ perReceiver }: KeyedLimits, inUse: Tally, { receiver, own }: ConcurrencyKeys): number =>
  Math.ceil((2 * perReceiver - inUse.of(receiver) - inUse.of(own)) / 2)
