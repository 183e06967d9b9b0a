import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { ServiceError } from '../errors/service-error.ts'

const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/** Limits per account, because signed URLs need no key and so have no rate limit. */
export interface AudioShares {
  readonly encoded: AudioPlaces
  readonly large: AudioPlaces
  readonly decoded: AudioPlaces
}

export const openAudioShares = (): AudioShares => ({
  encoded: new AudioPlaces(64, 24),
  large: new AudioPlaces(16, 8),
  decoded: new AudioPlaces(12, 4),
})

export class AudioPlaces {
  readonly #places: FairSemaphore

  constructor(total: number, perAccount: number) {
    this.#places = new FairSemaphore(total, perAccount)
  }

  /**
   * @returns a release that acts once
   * @throws AudioBusy after ten seconds, the reason of `gone` if it aborts first
   */
  async acquire(accountId: string, gone?: AbortSignal): Promise<() => void> {
    const late = AbortSignal.timeout(LONGEST_WAIT_MS)
    try {
      return await this.#places.acquire(accountId, gone === undefined ? late : AbortSignal.any([gone, late]))
    } catch (error) {
      throw error === late.reason ? new AudioBusy() : error
    }
  }
}

export class AudioBusy extends ServiceError {
  constructor() {
    super('UNAVAILABLE', 'Read other audio to its end, then try again: too much of it is read at once.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
