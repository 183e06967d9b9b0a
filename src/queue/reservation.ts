import type { KeyedLimiter } from '../concurrency/keyed-limiter.ts'
import type { Delivery, Origin } from './job-source.ts'

/**
 * A job that is queued as already taken by this process: nothing stands between its commit and its beginning. Should the process die, the
 * queue brings the job again as it does any other that was taken.
 */
export interface Reservation {
  /** The worker that has the job from its commit on. */
  readonly workerId: string
  /** When it was made, in milliseconds of `performance.now()`. */
  readonly since: number
  /** What asked for it. */
  queued(origin: Origin): void
  /** It is committed, and its row claimed with it. @param row absent: its row is still to be claimed */
  begin(row?: unknown): void
  /** Its transaction failed. Where it is there all the same, as the answer to the commit was lost, it is released, with its row if that is given. */
  giveUp(row?: unknown): void
  /** It was never queued as taken. */
  drop(): void
}

interface ReservationOptions {
  readonly workerId: string
  /** How many more jobs there is capacity for, and for those of servers with a limit. */
  readonly capacity: { free(): number; limits(): ReadonlyMap<string, number> }
  /** Of concurrency keys, where the jobs have some. */
  readonly limiter?: KeyedLimiter
  hold?(concurrencyKey: string): (() => void) | null
}

interface ReservationSteps {
  begin(delivery: Delivery): void
  giveUp(delivery: Delivery): Promise<void>
  /** Its capacity is free again. */
  left(delivery: Delivery): void
}

/** Those of a dispatcher, until they are begun or given up. */
export class Reservations {
  readonly #options: ReservationOptions
  readonly #steps: ReservationSteps
  /** By the ids of their deliveries. */
  readonly #open = new Map<string, Promise<void>>()

  constructor(options: ReservationOptions, steps: ReservationSteps) {
    this.#options = options
    this.#steps = steps
  }

  /** Ids of the deliveries that are reserved now. */
  get ids(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** null where the job would have to wait here. */
  make(reserved: Delivery): Reservation | null {
    const letGo = this.#options.capacity.free() > 0 ? this.#hold(reserved) : null
    return letGo === null ? null : this.#opened(reserved, letGo)
  }

  #hold({ concurrencyKey = '' }: Delivery): (() => void) | null {
    const { limiter, hold, capacity } = this.#options
    // Where a server is shared, its capacity may be in another process.
    if (limiter === undefined) return capacity.limits().size === 0 ? () => undefined : null
    const letGo = hold?.(concurrencyKey) ?? null
    if (letGo === null || limiter.tryAcquire(concurrencyKey)) return letGo
    letGo()
    return null
  }

  #opened(reserved: Delivery, letGo: () => void): Reservation {
    const since = performance.now()
    let delivery = reserved
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open.set(reserved.id, promise)
    const end = (): void => {
      this.#open.delete(reserved.id)
      resolve()
    }
    const leave = (): void => {
      letGo()
      end()
      this.#steps.left(delivery)
    }
    const claimedWith = (row: unknown): Delivery =>
      row === undefined ? delivery : { ...delivery, claimed: { row, since } }
    return {
      workerId: this.#options.workerId,
      since,
      queued: (origin) => {
        delivery = { ...delivery, origin }
      },
      begin: (row) => {
        letGo()
        this.#steps.begin(claimedWith(row))
        end()
      },
      giveUp: (row) => void this.#steps.giveUp(claimedWith(row)).finally(leave),
      drop: leave,
    }
  }

  /** Resolves once none is open that was at the time of the call. */
  async ended(): Promise<void> {
    await Promise.all(this.#open.values())
  }
}
