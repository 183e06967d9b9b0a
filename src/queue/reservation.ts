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
  isFree?(concurrencyKey: string): boolean
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
    return this.#options.capacity.free() > 0 && this.#beginsAtOnce(reserved) ? this.#opened(reserved) : null
  }

  #beginsAtOnce({ concurrencyKey = '' }: Delivery): boolean {
    const { limiter, isFree, capacity } = this.#options
    if (limiter !== undefined) return isFree?.(concurrencyKey) === true && limiter.tryAcquire(concurrencyKey)
    // Where a server is shared, its capacity may be in another process.
    return capacity.limits().size === 0
  }

  #opened(reserved: Delivery): Reservation {
    const since = performance.now()
    let delivery = reserved
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open.set(reserved.id, promise)
    const end = (): void => {
      this.#open.delete(reserved.id)
      resolve()
    }
    const leave = (): void => {
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
