import { NotSoon } from './stopping.ts'

/** A ticket is given up after this long: another worker may have capacity for the job. */
export const MAX_WAIT_MS = 1000

/** One job's way past its server. */
export interface Ticket {
  /** It is neither granted nor given up. */
  readonly isWaiting: boolean
  /** Resolves when the job may go to its server. Rejects with NotSoon, or with the signal's reason. */
  granted(): Promise<void>
  /** The server is done with the job, whatever is still to be done here. */
  release(): void
  /** Nothing is left to be done. Returns whether only now there is capacity for another job. */
  close(): boolean
}

/** A job that is at the server. */
export interface Stay {
  readonly began: number
}

/** What a ticket reports to its queue. */
interface TicketQueue {
  /** The job goes to the server. */
  begin(): Stay
  end(stay: Stay): void
  /** The ticket waits no more. */
  settled(ticket: ServerTicket): void
  /** It was given up without an abort: no capacity came in time. */
  expired(): void
  closed(): boolean
}

/** A ticket of one queue: granted by it, or given up after `MAX_WAIT_MS` or when its signal is aborted. */
export class ServerTicket implements Ticket {
  readonly since: number
  readonly #signal: AbortSignal
  readonly #queue: TicketQueue
  readonly #outcome = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout
  #isWaiting = true
  #stay: Stay | undefined

  /** @param since when it joined, in milliseconds of the queue's clock */
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
