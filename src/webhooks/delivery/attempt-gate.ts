import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { hasCapacity, type KeyedLimits, keysOf } from '../../concurrency/keyed-limiter.ts'
import type { Tally } from '../../concurrency/tally.ts'

const RESPONSIVE_MS = 1000
const KEPT_MS = 1000
const MAX_KEYS = 1024

interface GateOptions extends KeyedLimits {
  readonly onResponsive?: () => unknown
}

interface Answer {
  readonly tookMs: number
  readonly endedAt: number
}

/** Milliseconds of each key's last attempt, if it ended within KEPT_MS. */
class Latencies {
  readonly #now: () => number
  readonly #last = new Map<string, Answer>()

  constructor(now: () => number) {
    this.#now = now
  }

  note(key: string, tookMs: number): void {
    this.#last.set(key, { tookMs, endedAt: this.#now() })
    if (this.#last.size > MAX_KEYS) this.#forgetOld()
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= 2 * MAX_KEYS) break
      this.#last.delete(oldest)
    }
  }

  of(key: string): number {
    const answer = this.#last.get(key)
    return answer !== undefined && this.#now() - answer.endedAt < KEPT_MS ? answer.tookMs : Number.POSITIVE_INFINITY
  }

  #forgetOld(): void {
    const old = this.#now() - KEPT_MS
    for (const [key, { endedAt }] of this.#last) if (endedAt <= old) this.#last.delete(key)
  }
}

/** Limits concurrent attempts per account and per receiver. Waiting attempts hold no socket. */
export class AttemptGate {
  readonly #onResponsive: GateOptions['onResponsive']
  readonly #now: () => number
  readonly #latencies: Latencies
  readonly #semaphore: FairSemaphore
  readonly #closing = new AbortController()

  /** @param now monotonic milliseconds */
  constructor({ onResponsive, ...limits }: GateOptions, now = () => performance.now()) {
    this.#onResponsive = onResponsive
    this.#now = now
    this.#latencies = new Latencies(now)
    this.#semaphore = new FairSemaphore({ shares: { ownersOf, fits: (key, inUse) => fits(limits, key, inUse) } })
  }

  get waiting(): number {
    return this.#semaphore.waiting
  }

  isResponsive(key: string): boolean {
    return this.#latencies.of(key) < RESPONSIVE_MS
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
    this.#latencies.note(key, tookMs)
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
