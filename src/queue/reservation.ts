import type { ClaimedWith, Delivery, Origin } from './job-source.ts'

/**
 * A job that is queued as already taken by this process: nothing stands between its commit and its beginning. Should the process die, the
 * queue brings the job again as it does any other that was taken.
 */
export interface Reservation {
  /** When it was made, in milliseconds of `performance.now()`. */
  readonly since: number
  /** What asked for it. */
  queued(origin: Origin): void
  /** It is committed, and its row claimed with it. */
  begin(row: unknown): void
  /** Its transaction failed. Where it is there all the same, as the answer to the commit was lost, it is released. */
  giveUp(row: unknown): void
}

interface ReservationSteps {
  begin(delivery: Delivery): void
  giveUp(delivery: Delivery): Promise<void>
}

/** Those of a dispatcher, until they are begun or given up. */
export class Reservations {
  readonly #steps: ReservationSteps
  readonly #open = new Set<Promise<void>>()

  constructor(steps: ReservationSteps) {
    this.#steps = steps
  }

  make(reserved: Delivery): Reservation {
    const since = performance.now()
    let delivery = reserved
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open.add(promise)
    const end = (): void => {
      this.#open.delete(promise)
      resolve()
    }
    const claimedWith = (row: unknown): Delivery & { claimed: ClaimedWith } => ({
      ...delivery,
      claimed: { row, since },
    })
    return {
      since,
      queued: (origin) => {
        delivery = { ...delivery, origin }
      },
      begin: (row) => {
        this.#steps.begin(claimedWith(row))
        end()
      },
      giveUp: (row) => void this.#steps.giveUp(claimedWith(row)).finally(end),
    }
  }

  /** Resolves once none is open that was at the time of the call. */
  async ended(): Promise<void> {
    await Promise.all(this.#open)
  }
}
