import { type ConcurrencyKeys, changeUse, hasCapacity, type KeyedLimits, keysOf, shareOf } from './concurrency-keys.ts'

/** Smaller limits while a receiver has not answered yet or no longer answers. */
interface Probation {
  readonly perKey: number
  /** For all keys of an account on probation together. */
  readonly perAccount: number
  isResponsive(key: string): boolean
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
  readonly #inUse = new Map<string, number>()
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

  hasReopened(): boolean {
    return [...this.#full].some(([key, keys]) => !this.#isFull(key, keys))
  }

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

class ProbationUse {
  readonly #probation: Probation | undefined
  readonly #inUse = new Map<string, number>()

  constructor(probation: Probation | undefined) {
    this.#probation = probation
  }

  perKey(key: string): number {
    return this.#limitsOf(key)?.perKey ?? Number.POSITIVE_INFINITY
  }

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

  #limitsOf(key: string): Probation | undefined {
    return this.#probation?.isResponsive(key) === false ? this.#probation : undefined
  }
}
