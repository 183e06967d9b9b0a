import { LRUCache } from 'lru-cache'
import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { hasCapacity, type KeyedLimits, keysOf } from '../../concurrency/keyed-limiter.ts'
import type { Tally } from '../../concurrency/tally.ts'

const RESPONSIVE_MS = 1000
const KEPT_MS = 1000
const MAX_KEYS = 2048

interface GateOptions extends KeyedLimits {
  readonly onResponsive?: () => unknown
}

/** Limits concurrent attempts per account and per receiver. Waiting attempts hold no socket. */
export class AttemptGate {
  readonly #onResponsive: GateOptions['onResponsive']
  readonly #now: () => number
  /** Milliseconds of each key's last attempt. */
  readonly #latencies: LRUCache<string, number>
  readonly #semaphore: FairSemaphore
  readonly #closing = new AbortController()

  /** @param now monotonic milliseconds */
  constructor({ onResponsive, ...limits }: GateOptions, now = () => performance.now()) {
    this.#onResponsive = onResponsive
    this.#now = now
    this.#latencies = new LRUCache({ max: MAX_KEYS, ttl: KEPT_MS, ttlResolution: 0, perf: { now } })
    this.#semaphore = new FairSemaphore({ shares: { ownersOf, fits: (key, inUse) => fits(limits, key, inUse) } })
  }

  get waiting(): number {
    return this.#semaphore.waiting
  }

  isResponsive(key: string): boolean {
    return (this.#latencies.get(key) ?? Number.POSITIVE_INFINITY) < RESPONSIVE_MS
  }

  /** Runs `work` once the key has capacity. @throws if the gate closes or `signal` aborts first */
  async pass<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const release = await this.#semaphore.acquire(key, this.#closing.signal)
    let started = Number.NEGATIVE_INFINITY
    try {
      signal.throwIfAborted()
      started = this.#now()
      return await work()
    } finally {
      this.#note(key, this.#now() - started, release)
    }
  }

  close(): void {
    this.#closing.abort(new Error('the worker is stopping'))
  }

  #note(key: string, tookMs: number, release: () => void): void {
    const wasResponsive = this.isResponsive(key)
    this.#latencies.set(key, tookMs)
    release()
    if (!wasResponsive && this.isResponsive(key)) this.#onResponsive?.()
  }
}

function ownersOf(key: string): readonly string[] {
  const { account, receiver, own } = keysOf(key)
  return [account, receiver, own]
}

/** A key must leave its account as much as it uses, so hanging receivers cannot exhaust the account. */
function fits(limits: KeyedLimits, key: string, inUse: Tally): boolean {
  const keys = keysOf(key)
  return hasCapacity(limits, inUse, keys) && limits.perAccount > inUse.of(keys.account) + inUse.of(keys.own)
}
