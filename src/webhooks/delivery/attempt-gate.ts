import {
  type ConcurrencyKeys,
  changeUse,
  hasCapacity,
  type KeyedLimits,
  keysOf,
} from '../../concurrency/concurrency-keys.ts'
import { Latencies } from './latencies.ts'
import { Preparation, type Steps } from './preparation.ts'

/**
 * How many of those that wait for a receiver may be prepared, by how soon it answers: one statement then serves dozens, no delivery waits
 * for it, and what is prepared is granted long before it is stale. Half of them at least are prepared at once.
 */
const AHEAD = [
  { withinMs: 20, ahead: 128 },
  { withinMs: 100, ahead: 64 },
] as const
/** A receiver that answers within this is responsive: what is held for it moves on. */
const RESPONSIVE_MS = 1000

interface GateOptions extends KeyedLimits {
  /** Notified of a key that was not responsive and has become so. */
  readonly onResponsive?: () => unknown
}

interface Waiting {
  readonly preparation: Pick<Preparation<unknown>, 'isBegun' | 'begin' | 'takeBack'>
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

  /** Takes the steps once the key has capacity. @throws when the gate was closed or `signal` aborted before */
  async pass<Prepared, Result>(key: string, signal: AbortSignal, steps: Steps<Prepared, Result>): Promise<Result> {
    const preparation = new Preparation(steps, this.#now)
    const keys = keysOf(key)
    await this.#acquire(key, keys, preparation).catch((error: Error) => preparation.rejectWith(error))
    let started = Number.NEGATIVE_INFINITY
    try {
      if (signal.aborted) return await preparation.rejectWith(signal.reason)
      const prepared = await preparation.fresh()
      started = this.#now()
      return await steps.work(prepared)
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

  async #acquire(key: string, keys: ConcurrencyKeys, preparation: Waiting['preparation']): Promise<void> {
    if (this.#closed) throw stopping()
    if (!this.#queues.has(key) && this.#fits(keys)) return this.#count(keys, 1)
    preparation.takeBack()
    await new Promise<void>((resolve, reject) => {
      const queue = this.#queues.get(key) ?? { keys, waiting: [] }
      this.#queues.set(key, queue)
      this.#waiting++
      queue.waiting.push({ grant: resolve, giveUp: reject, preparation })
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
      else prepareAhead(queue.waiting, this.#latencies.of(key))
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

/** Only once some of them are used up, so that many are prepared together while enough are left for the time that takes. */
function prepareAhead(waiting: readonly Waiting[], tookMs: number): void {
  const ahead = AHEAD.find(({ withinMs }) => tookMs < withinMs)?.ahead ?? 0
  if (ahead === 0 || waiting[ahead / 2]?.preparation.isBegun === true) return
  for (const { preparation } of waiting.slice(0, ahead)) preparation.begin()
}
