import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { ServiceError, unavailable } from '../../errors/service-error.ts'

/** Exports that read from the database at the same time, each over a connection of its own: more would only share its cores. */
const MAX_READING = 2
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

/** Lets the exports of this process read one after the other, the accounts by turns. */
export class ExportQueue {
  readonly #reading = new FairSemaphore(MAX_READING)
  /** Open exports by account. */
  readonly #openOf = new Map<string, number>()
  #allOpen = 0

  /** Exports that are not yet downloaded to their end. */
  get open(): number {
    return this.#allOpen
  }

  /**
   * Waits until it may read, 30 s at the longest.
   * @throws RATE_LIMITED for an account with too many open exports, UNAVAILABLE when all are too many or others read for too long, the
   * reason of `gone` when it is aborted while waiting
   */
  async enter(accountId: string, gone?: AbortSignal): Promise<ExportTicket> {
    if ((this.#openOf.get(accountId) ?? 0) >= MAX_OPEN_PER_ACCOUNT) throw tooManyOpen()
    if (this.#allOpen >= MAX_OPEN) throw unavailable('too many exports are open')
    const uncount = this.#count(accountId)
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

  /** Returns what counts it as closed, once however often it is called. */
  #count(accountId: string): () => void {
    this.#add(accountId, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#add(accountId, -1)
      isOpen = false
    }
  }

  #add(accountId: string, change: 1 | -1): void {
    this.#allOpen += change
    const open = (this.#openOf.get(accountId) ?? 0) + change
    if (open === 0) this.#openOf.delete(accountId)
    else this.#openOf.set(accountId, open)
  }
}

const tooManyOpen = () =>
  new ServiceError('RATE_LIMITED', `Finish or close one of your ${MAX_OPEN_PER_ACCOUNT} open exports first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
