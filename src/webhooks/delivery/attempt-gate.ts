import {
  type ConcurrencyKeys,
  changeUse,
  hasCapacity,
  type KeyedLimits,
  keysOf,
} from '../../concurrency/concurrency-keys.ts'
import { Latencies } from './latencies.ts'

/** A receiver that answers within this is responsive: what is held for it moves on. */
const RESPONSIVE_MS = 1000

interface GateOptions extends KeyedLimits {
  /** Notified of a key that was not responsive and has become so. */
  readonly onResponsive?: () => unknown
}

interface Waiting {
  grant(): void
  giveUp(error: Error): void
}

/** The attempts of one key that wait. */
interface KeyQueue {
  readonly keys: ConcurrencyKeys
  readonly waiting: Waiting[]
}

/** Lets so many attempts run at once per account and per receiver; the others wait for their ticket, holding no socket. */
export class AttemptGate {
  readonly #limits: GateOptions
  readonly #now: () => number
  readonly #latencies: Latencies
  readonly #inUse = new Map<string, number>()
  readonly #queues = new Map<string, KeyQueue>()
  #waiting = 0
  #closed = false

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: GateOptions, now = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#latencies = new Latencies(now)
  }

  /** How many wait for their ticket. */
  get waiting(): number {
    return this.#waiting
  }

  /** Whether the key's last attempt took less than a second and ended in the last second. */
  isResponsive(key: string): boolean {
    return this.#latencies.of(key) < RESPONSIVE_MS
  }

  /** Works once the key has capacity. @throws when the gate was closed or `signal` aborted before */
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

  /** Rejects those that wait, and those that come. */
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

  /** One was released: keys that share a word with it are served round robin with what fits now. */
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
    // Behind the others: the loop over the queues comes by again.
    if (queue.waiting.length > 0) this.#queues.set(key, queue)
    first.grant()
  }

  /** A key leaves its account as much as it takes: one that comes last finds capacity, however many of the account's receivers hang. */
  #fits(keys: ConcurrencyKeys): boolean {
    const used = (this.#inUse.get(keys.account) ?? 0) + (this.#inUse.get(keys.own) ?? 0)
    return hasCapacity(this.#limits, this.#inUse, keys) && this.#limits.perAccount > used
  }

  #count({ account, receiver, own }: ConcurrencyKeys, change: 1 | -1): void {
    changeUse(this.#inUse, [account, receiver, own], change)
  }
}

const stopping = () => new Error('the worker is stopping')
