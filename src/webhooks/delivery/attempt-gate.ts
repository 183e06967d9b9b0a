import {
  type ConcurrencyKeys,
  changeUse,
  hasCapacity,
  type KeyedLimits,
  keysOf,
} from '../../concurrency/keyed-limiter.ts'

const RESPONSIVE_MS = 1000
const KEPT_MS = 1000
const MAX_KEYS = 1024

interface GateOptions extends KeyedLimits {
  readonly onResponsive?: () => unknown
}

interface Waiting {
  grant(): void
  giveUp(error: Error): void
}

interface KeyQueue {
  readonly keys: ConcurrencyKeys
  readonly waiting: Waiting[]
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
  readonly #limits: GateOptions
  readonly #now: () => number
  readonly #latencies: Latencies
  readonly #inUse = new Map<string, number>()
  readonly #queues = new Map<string, KeyQueue>()
  #waiting = 0
  #closed = false

  /** @param now monotonic milliseconds */
  constructor(limits: GateOptions, now = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#latencies = new Latencies(now)
  }

  get waiting(): number {
    return this.#waiting
  }

  isResponsive(key: string): boolean {
    return this.#latencies.of(key) < RESPONSIVE_MS
  }

  /** Runs `work` once the key has capacity. @throws if the gate closes or `signal` aborts first */
  async pass<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const keys = keysOf(key)
    await this.#acquire(key, keys)
    let started = Number.NEGATIVE_INFINITY
    try {
      signal.throwIfAborted()
      started = this.#now()
      return await work()
    } finally {
      this.#release(key, keys, this.#now() - started)
    }
  }

  close(): void {
    this.#closed = true
    for (const { waiting } of this.#queues.values()) for (const { giveUp } of waiting) giveUp(stopping())
    this.#queues.clear()
    this.#waiting = 0
  }

  async #acquire(key: string, keys: ConcurrencyKeys): Promise<void> {
    if (this.#closed) throw stopping()
    if (!this.#queues.has(key) && this.#fits(keys)) return this.#count(keys, 1)
    await new Promise<void>((resolve, reject) => {
      const queue = this.#queues.get(key) ?? { keys, waiting: [] }
      this.#queues.set(key, queue)
      this.#waiting++
      queue.waiting.push({ grant: resolve, giveUp: reject })
    })
  }

  #release(key: string, keys: ConcurrencyKeys, tookMs: number): void {
    this.#count(keys, -1)
    const wasResponsive = this.isResponsive(key)
    this.#latencies.note(key, tookMs)
    this.#grant()
    if (!wasResponsive && this.isResponsive(key)) this.#limits.onResponsive?.()
  }

  #grant(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#fits(queue.keys)) this.#grantFirst(key, queue)
    }
  }

  #grantFirst(key: string, queue: KeyQueue): void {
    this.#count(queue.keys, 1)
    this.#waiting--
    this.#queues.delete(key)
    const first = queue.waiting.shift()!
    // The key goes to the end; the caller's loop reaches it again.
    if (queue.waiting.length > 0) this.#queues.set(key, queue)
    first.grant()
  }

  /** A key must leave its account as much as it uses, so hanging receivers cannot exhaust the account. */
  #fits(keys: ConcurrencyKeys): boolean {
    const used = (this.#inUse.get(keys.account) ?? 0) + (this.#inUse.get(keys.own) ?? 0)
    return hasCapacity(this.#limits, this.#inUse, keys) && this.#limits.perAccount > used
  }

  #count({ account, receiver, own }: ConcurrencyKeys, change: 1 | -1): void {
    changeUse(this.#inUse, [account, receiver, own], change)
  }
}

const stopping = () => new Error('the worker is stopping')
