import { type LongestWait, type Release, releaseOnce, waitForGrant } from './semaphore.ts'
import { Tally } from './tally.ts'

interface Limits {
  /** The limit of all keys together. Absent: there is no such limit. */
  readonly total?: number
  /** Keeps permits free for other keys; absent: `total`. */
  readonly perKey?: number
  readonly shares?: Shares
}

/** Limits of more owners than the key. */
interface Shares {
  ownersOf(key: string): readonly string[]
  fits(key: string, inUse: Tally): boolean
}

/** The key that has waited longest since its last grant is next. */
export class FairSemaphore {
  readonly perKey: number
  readonly #total: number
  readonly #longestWait: LongestWait | undefined
  readonly #shares: Shares | undefined
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #inUse = new Tally()

  constructor({ total = Number.POSITIVE_INFINITY, perKey = total, shares }: Limits, longestWait?: LongestWait) {
    this.perKey = perKey
    this.#total = total
    this.#longestWait = longestWait
    this.#shares = shares
  }

  get waiting(): number {
    let waiting = 0
    for (const { size } of this.#waiting.values()) waiting += size
    return waiting
  }

  /** @returns null if the request would have to wait */
  tryAcquire(key: string): Release | null {
    if (this.#waiting.has(key) || !this.#fits(key)) return null
    this.#inUse.add(...this.#ownersOf(key))
    return this.#releaseOf(key)
  }

  /** @throws the signal's reason if it aborts during the wait; the error of the longest wait */
  async acquire(key: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    const release = this.tryAcquire(key)
    if (release !== null) return release
    await waitForGrant(
      { signal, longestWait: this.#longestWait },
      {
        add: (grant) => this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(grant)),
        remove: (grant) => this.#remove(key, grant),
      },
    )
    return this.#releaseOf(key)
  }

  #fits(key: string): boolean {
    const isFree = this.#inUse.total < this.#total && this.#inUse.of(key) < this.perKey
    return isFree && (this.#shares?.fits(key, this.#inUse) ?? true)
  }

  #ownersOf(key: string): readonly string[] {
    return this.#shares?.ownersOf(key) ?? [key]
  }

  #releaseOf(key: string): Release {
    return releaseOnce(() => {
      const isOfOthers = this.#shares !== undefined || this.#inUse.total >= this.#total
      this.#inUse.subtract(...this.#ownersOf(key))
      this.#grant(isOfOthers ? this.#waiting.keys() : [key])
    })
  }

  #grant(keys: Iterable<string>): void {
    for (const key of keys) {
      if (this.#inUse.total >= this.#total) return
      const waiting = this.#waiting.get(key)
      const next = waiting?.values().next().value
      if (waiting === undefined || next === undefined || !this.#fits(key)) continue
      this.#inUse.add(...this.#ownersOf(key))
      this.#remove(key, next)
      if (this.#waiting.delete(key)) this.#waiting.set(key, waiting)
      next()
    }
  }

  #remove(key: string, grant: () => void): void {
    const waiting = this.#waiting.get(key)
    waiting?.delete(grant)
    if (waiting?.size === 0) this.#waiting.delete(key)
  }
}
