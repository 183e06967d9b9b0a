import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { Tally } from '../../concurrency/tally.ts'
import { ServiceError, unavailable } from '../../errors/service-error.ts'

/** Exports that read from the database at the same time, each over a connection of its own: more would only share its cores. */
const MAX_READING = 3
/** Of one account: however long they take, one of another account's may read. */
const MAX_READING_PER_ACCOUNT = 2
/** Exports of an account that are not yet downloaded to their end. */
const MAX_OPEN_PER_ACCOUNT = 12
const MAX_OPEN = 48
const LONGEST_WAIT_MS = 30_000
const RETRY_AFTER_SECONDS = 10

/** Leave to export. Each of the two may be called more than once. */
export interface ExportTicket {
  /** Lets the next export read. */
  doneReading(): void
  /** Ends the export: it has been downloaded, or never will be. */
  release(): void
}

/** Lets three exports of this process read at a time, two of one account at most; the others wait, the accounts by turns. */
export class ExportQueue {
  readonly #reading = new FairSemaphore(MAX_READING, MAX_READING_PER_ACCOUNT)
  readonly #open = new Tally()

  /** Exports that are not yet downloaded to their end. */
  get open(): number {
    return this.#open.total
  }

  /**
   * Waits until it may read, 30 s at the longest.
   * @throws RATE_LIMITED for an account with too many open exports, UNAVAILABLE when all are too many or others read for too long, the
   * reason of `gone` when it is aborted while waiting
   */
  async enter(accountId: string, gone?: AbortSignal): Promise<ExportTicket> {
    if (this.#open.of(accountId) >= MAX_OPEN_PER_ACCOUNT) throw tooManyOpen()
    if (this.open >= MAX_OPEN) throw unavailable('too many exports are open')
    const uncount = this.#open.add(accountId)
    try {
      const doneReading = await this.#acquire(accountId, gone)
      return {
        doneReading,
        release: () => {
          doneReading()
          uncount()
        },
      }
    } catch (error) {
      uncount()
      throw error
    }
  }

  async #acquire(accountId: string, gone?: AbortSignal): Promise<() => void> {
    const late = AbortSignal.timeout(LONGEST_WAIT_MS)
    try {
      return await this.#reading.acquire(accountId, gone === undefined ? late : AbortSignal.any([gone, late]))
    } catch (error) {
      throw error === late.reason ? unavailable('other exports are still reading') : error
    }
  }
}

const tooManyOpen = () =>
  new ServiceError('RATE_LIMITED', `Finish or close one of your ${MAX_OPEN_PER_ACCOUNT} open exports first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
