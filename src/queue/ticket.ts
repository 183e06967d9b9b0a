import { NotSoon } from './stopping.ts'

/** Another worker may have capacity for the job. */
export const MAX_WAIT_MS = 1000

export interface Ticket {
  readonly isWaiting: boolean
  /** Rejects with NotSoon, or with the signal's reason. */
  granted(): Promise<void>
  release(): void
  /** Returns whether this made capacity for another job. */
  close(): boolean
}

export interface Stay {
  readonly began: number
}

interface TicketQueue {
  begin(): Stay
  end(stay: Stay): void
  settled(ticket: ServerTicket): void
  expired(): void
  closed(): boolean
}

export class ServerTicket implements Ticket {
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
