import { NotSoon } from './stopping.ts'

const LEAD_MS = 100
const QUICK_MS = 1000
const LATE_SHARE = 1.5
const PRESSED_MS = 200
/** Another worker may have capacity for the job. */
const MAX_WAIT_MS = 1000

/** Jobs that somebody waits for have queues of their own, so they wait for no other job here. */
export interface ServerQueues {
  capacities(isAwaited: boolean): ReadonlyMap<string, number>
  /** Undefined: only the slots limit its jobs. */
  at(server: string, isAwaited: boolean): ServerQueue | undefined
  watch(poll: () => void): void
}

interface QueueOptions {
  limit(): number
  onCapacity(): void
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

export interface Ticket {
  readonly isWaiting: boolean
  /** Rejects with NotSoon, or with the signal's reason. */
  granted(): Promise<void>
  release(): void
  /** Returns whether this made capacity for another job. */
  close(): boolean
}

interface Stay {
  readonly began: number
}

interface TicketQueue {
  begin(): Stay
  end(stay: Stay): void
  settled(ticket: ServerTicket): void
  expired(): void
  closed(): boolean
}

/** Limits this process's jobs of one kind at one server, in order of arrival. */
export class ServerQueue {
  readonly #limit: () => number
  readonly #onCapacity: () => void
  readonly #now: () => number
  readonly #waiting = new Set<ServerTicket>()
  readonly #atServer = new Set<Stay>()
  #open = 0
  #usualMs = Number.POSITIVE_INFINITY
  #lastEnd = Number.NEGATIVE_INFINITY
  #isPressed = false

  constructor({ limit, onCapacity, now = () => performance.now() }: QueueOptions) {
    this.#limit = limit
    this.#onCapacity = onCapacity
    this.#now = now
  }

  get inUse(): number {
    return this.#atServer.size
  }

  /** How many more jobs to take. */
  get capacity(): number {
    const limit = this.#limit()
    const finishing = this.#open - this.#atServer.size - this.#waiting.size
    const ahead = limit + this.#countAboutToEnd() - this.#atServer.size - this.#waiting.size
    // Finishing jobs hold memory, so their number is bounded.
    return Math.max(0, Math.min(ahead, 2 * limit - finishing))
  }

  join(signal: AbortSignal): Ticket {
    const ticket = new ServerTicket(signal, this.#now(), {
      begin: () => this.#begin(),
      end: (stay) => this.#end(stay),
      settled: (settled) => this.#waiting.delete(settled),
      expired: () => {
        this.#isPressed = false
      },
      closed: () => this.#close(),
    })
    this.#open++
    this.#waiting.add(ticket)
    this.#grant()
    return ticket
  }

  grantMore(): void {
    this.#grant()
    this.#onCapacity()
  }

  #grant(): void {
    for (const next of this.#waiting) {
      if (this.#atServer.size >= this.#limit()) return
      // A suspended process may have lost the job.
      if (this.#now() - next.since > MAX_WAIT_MS) next.giveUp()
      else next.grant()
    }
  }

  #begin(): Stay {
    const stay = { began: this.#now() }
    const usualMs = this.#usualMs
    this.#atServer.add(stay)
    this.#isPressed = stay.began - this.#lastEnd < PRESSED_MS
    const mayTakeAhead = this.#isPressed && usualMs > LEAD_MS && usualMs <= QUICK_MS
    if (mayTakeAhead) setTimeout(this.#onCapacity, usualMs - LEAD_MS).unref()
    return stay
  }

  #end(stay: Stay): void {
    if (!this.#atServer.delete(stay)) return
    this.#lastEnd = this.#now()
    const tookMs = this.#lastEnd - stay.began
    this.#usualMs = Number.isFinite(this.#usualMs) ? (this.#usualMs + tookMs) / 2 : tookMs
    this.#grant()
    // The next job's request goes first.
    setImmediate(this.#onCapacity)
  }

  #close(): boolean {
    const wasFull = this.capacity === 0
    this.#open--
    return wasFull && this.capacity > 0
  }

  #countAboutToEnd(): number {
    if (!this.#isPressed || this.#usualMs > QUICK_MS || this.#atServer.size < this.#limit()) return 0
    const isDue = ({ began }: Stay): boolean => {
      const elapsed = this.#now() - began
      return elapsed >= this.#usualMs - LEAD_MS && elapsed <= this.#usualMs * LATE_SHARE
    }
    return [...this.#atServer].filter(isDue).length
  }
}

class ServerTicket implements Ticket {
  readonly since: number
  readonly #signal: AbortSignal
  readonly #queue: TicketQueue
  readonly #outcome = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout
  #isWaiting = true
  #stay: Stay | undefined

  /** @param since milliseconds of the queue's clock */
  constructor(signal: AbortSignal, since: number, queue: TicketQueue) {
    this.since = since
    this.#signal = signal
    this.#queue = queue
    this.#outcome.promise.catch(() => undefined)
    this.#timer = setTimeout(this.giveUp, MAX_WAIT_MS)
    signal.addEventListener('abort', this.giveUp, { once: true })
  }

  get isWaiting(): boolean {
    return this.#isWaiting
  }

  granted(): Promise<void> {
    return this.#outcome.promise
  }

  grant(): void {
    this.#settle()
    this.#stay = this.#queue.begin()
    this.#outcome.resolve()
  }

  readonly giveUp = (): void => {
    this.#settle()
    if (!this.#signal.aborted) this.#queue.expired()
    this.#outcome.reject(this.#signal.aborted ? this.#signal.reason : new NotSoon())
  }

  release(): void {
    if (this.#stay !== undefined) this.#queue.end(this.#stay)
  }

  close(): boolean {
    this.#settle()
    this.release()
    return this.#queue.closed()
  }

  #settle(): void {
    clearTimeout(this.#timer)
    this.#isWaiting = false
    this.#queue.settled(this)
    this.#signal.removeEventListener('abort', this.giveUp)
  }
}
