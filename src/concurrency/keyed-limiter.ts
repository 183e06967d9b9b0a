import { type ConcurrencyKeys, changeUse, hasCapacity, type KeyedLimits, keysOf, shareOf } from './concurrency-keys.ts'

/** Less for keys whose receiver has not answered yet, or no longer does: many of them together must not fill the process. */
interface Probation {
  readonly perKey: number
  /** All of an account's keys on probation together, however many receivers it names: each gets as much again as is free. */
  readonly perAccount: number
  isResponsive(key: string): boolean
}

/**
 * How much of a process a concurrency key may hold. A key counts as full as soon as it has less capacity than a fetch may bring: a fetch
 * brings many jobs, and hardly any that must be released.
 */
export class KeyedLimiter {
  /** How many jobs to fetch at once at most: what a key that has just got capacity can surely take. */
  readonly batch: number
  /** What a key that is not known yet can surely take. */
  readonly leastBatch: number
  readonly #limits: KeyedLimits
  readonly #probation: ProbationUse
  readonly #inUse = new Map<string, number>()
  /** Keys that were full when last counted. */
  readonly #full = new Map<string, ConcurrencyKeys>()

  constructor(limits: KeyedLimits, probation?: Probation) {
    this.batch = Math.ceil(limits.perReceiver / 2)
    this.leastBatch = Math.min(this.batch, probation?.perKey ?? this.batch)
    this.#limits = limits
    this.#probation = new ProbationUse(probation)
  }

  /** Counts one more of the key. Returns false where its limit is reached. A job without a key is not limited. */
  tryAcquire(key: string | undefined): boolean {
    if (key === undefined) return true
    const keys = keysOf(key)
    const isTrusted =
      (this.#inUse.get(keys.own) ?? 0) < this.#probation.perKey(key) && this.#probation.left(key, keys) > 0
    const fits = hasCapacity(this.#limits, this.#inUse, keys) && isTrusted
    if (fits) {
      changeUse(this.#inUse, [keys.account, keys.receiver, keys.own], 1)
      this.#probation.acquire(key, keys)
    }
    if (this.#isFull(key, keys)) this.#full.set(key, keys)
    return fits
  }

  /** Counts one less. Returns whether a key that was full takes jobs again. */
  release(key: string | undefined): boolean {
    if (key === undefined) return false
    const keys = keysOf(key)
    changeUse(this.#inUse, [keys.account, keys.receiver, keys.own], -1)
    this.#probation.release(keys)
    for (const [full, its] of this.#full) {
      const isRelated = its.account === keys.account || its.receiver === keys.receiver
      if (isRelated && !this.#isFull(full, its)) return true
    }
    return false
  }

  /** Whether a key that was full takes jobs again, as its receiver is responsive now. */
  hasReopened(): boolean {
    return [...this.#full].some(([key, keys]) => !this.#isFull(key, keys))
  }

  /** The keys known to be full: what waits for them may as well stay in the queue. */
  full(): string[] {
    for (const [key, keys] of this.#full) if (!this.#isFull(key, keys)) this.#full.delete(key)
    return [...this.#full.keys()]
  }

  #isFull(key: string, keys: ConcurrencyKeys): boolean {
    const { perAccount } = this.#limits
    const own = this.#inUse.get(keys.own) ?? 0
    const share = shareOf(this.#limits, this.#inUse, keys)
    const [trial, trials] = [this.#probation.perKey(key), this.#probation.left(key, keys)]
    return (
      this.#isShort(perAccount - (this.#inUse.get(keys.account) ?? 0), perAccount) ||
      this.#isShort(share, share + own) ||
      this.#isShort(trial - own, trial) ||
      this.#isShort(trials, trials + own)
    )
  }

  #isShort(left: number, limit: number): boolean {
    return left < Math.max(1, Math.min(this.batch, Math.ceil(limit / 2)))
  }
}

/** Counts what was acquired on probation, of each account and key: the first to be released of a key are taken for those. */
class ProbationUse {
  readonly #probation: Probation | undefined
  readonly #inUse = new Map<string, number>()

  constructor(probation: Probation | undefined) {
    this.#probation = probation
  }

  perKey(key: string): number {
    return this.#limitsOf(key)?.perKey ?? Number.POSITIVE_INFINITY
  }

  /** What the key's account may still acquire on probation for it: as much again as is free. */
  left(key: string, { account, own }: ConcurrencyKeys): number {
    const limits = this.#limitsOf(key)
    if (limits === undefined) return Number.POSITIVE_INFINITY
    return Math.ceil((limits.perAccount - (this.#inUse.get(account) ?? 0) - (this.#inUse.get(own) ?? 0)) / 2)
  }

  acquire(key: string, { account, own }: ConcurrencyKeys): void {
    if (this.#limitsOf(key) !== undefined) changeUse(this.#inUse, [account, own], 1)
  }

  release({ account, own }: ConcurrencyKeys): void {
    if (this.#inUse.has(own)) changeUse(this.#inUse, [account, own], -1)
  }

  /** undefined: the key is not on probation. */
  #limitsOf(key: string): Probation | undefined {
    return this.#probation?.isResponsive(key) === false ? this.#probation : undefined
  }
}
