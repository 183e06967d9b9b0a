import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { Tally } from '../../concurrency/tally.ts'
import { ServiceError, unavailable } from '../../errors/service-error.ts'

const MAX_READING = 3
const MAX_READING_PER_ACCOUNT = 2
const MAX_OPEN_PER_ACCOUNT = 12
const MAX_OPEN = 48
const LONGEST_WAIT = { ms: 30_000, error: () => unavailable('other exports are still reading') }
const RETRY_AFTER_SECONDS = 10

export interface ExportTicket {
  doneReading(): void
  /** Ends the export after its download, or without one. */
  release(): void
}

/** Three exports read at a time, two per account; the accounts take turns. */
export class ExportQueue {
  readonly #reading = new FairSemaphore({ total: MAX_READING, perKey: MAX_READING_PER_ACCOUNT }, LONGEST_WAIT)
  readonly #open = new Tally()

  get open(): number {
    return this.#open.total
  }

  /**
   * Waits up to 30 s.
   * @throws RATE_LIMITED if the account has too many open exports, UNAVAILABLE if all together have or the wait ends, the reason of `gone`
   */
  async enter(accountId: string, gone?: AbortSignal): Promise<ExportTicket> {
    if (this.#open.of(accountId) >= MAX_OPEN_PER_ACCOUNT) throw tooManyOpen()
    if (this.open >= MAX_OPEN) throw unavailable('too many exports are open')
    const uncount = this.#open.add(accountId)
    try {
      const doneReading = await this.#reading.acquire(accountId, gone)
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
}

const tooManyOpen = () =>
  new ServiceError('RATE_LIMITED', `Finish or close one of your ${MAX_OPEN_PER_ACCOUNT} open exports first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
