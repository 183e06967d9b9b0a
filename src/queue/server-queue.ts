import { MAX_WAIT_MS, ServerTicket, type Stay, type Ticket } from './ticket.ts'

/** A job that will begin within this time is taken ahead: about as long as it takes to take one on a busy machine. */
const LEAD_MS = 100
/** Where jobs take longer than this, taking one when there is capacity costs nothing to speak of. */
const QUICK_MS = 1000
/** A job that takes this much longer than usual says nothing about when it will end. */
const LATE_SHARE = 1.5
/** A job that begins this soon after another has ended was waiting for its capacity. */
const PRESSED_MS = 200

/** The queues at the servers whose limit is known. */
export interface ServerQueues {
  /** How many more jobs to take, by server. */
  capacities(): ReadonlyMap<string, number>
  /** undefined: as many of its jobs run as there are slots. */
  at(server: string): ServerQueue | undefined
  /** Calls `poll` whenever there may be more capacity. */
  watch(poll: () => void): void
}

interface QueueOptions {
  /** How many may be at the server now; asked whenever a request comes or is done. */
  limit(): number
  /** There may be more capacity: for a job now, or for one about to begin. */
  onCapacity(): void
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number
}

/** The jobs of this process at one server: so many at once, the others in the order in which they came. */
export class ServerQueue {
  readonly #limit: () => number
  readonly #onCapacity: () => void
  readonly #now: () => number
  readonly #waiting = new Set<ServerTicket>()
  readonly #atServer = new Set<Stay>()
  #open = 0
  /** How long the last jobs took at the server. */
  #usualMs = Number.POSITIVE_INFINITY
  #lastEnd = Number.NEGATIVE_INFINITY
  /** The last job began as soon as the server could take it: others may wait behind it. */
  #isPressed = false

  constructor({ limit, onCapacity, now = () => performance.now() }: QueueOptions) {
    this.#limit = limit
    this.#onCapacity = onCapacity
    this.#now = now
  }

  /** Jobs that are at the server now. */
  get inUse(): number {
    return this.#atServer.size
  }

  /** How many more to take: one for every job that the server could take now or is about to be able to take. */
  get capacity(): number {
    const limit = this.#limit()
    const finishing = this.#open - this.#atServer.size - this.#waiting.size
    const ahead = limit + this.#countAboutToEnd() - this.#atServer.size - this.#waiting.size
    // Jobs that the server is done with hold memory: no more than two for each that may be there.
    return Math.max(0, Math.min(ahead, 2 * limit - finishing))
  }

  /** Queues a job up. It is given up after a second, or when `signal` is aborted. */
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

  /** To be called when more may be at the server than before. */
  grantMore(): void {
    this.#grant()
    this.#onCapacity()
  }

  #grant(): void {
    for (const next of this.#waiting) {
      if (this.#atServer.size >= this.#limit()) return
      // A process that slept may have lost the job meanwhile.
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
    // After the next job's request is on its way.
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
