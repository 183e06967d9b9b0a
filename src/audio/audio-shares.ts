import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { ServiceError } from '../errors/service-error.ts'

const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/** Limits how much of the audio threads and of memory the readers of one account use. Signed URLs need no key, so no rate limit covers them. */
export interface AudioShares {
  /** Files that are encoded while they are read: an encoder takes a megabyte, or half. */
  readonly encoded: AudioPlaces
  /** FLAC among them, whose encoder takes seven megabytes, and WAV and PCM that is held until it is whole. */
  readonly large: AudioPlaces
  /** Stored files that were decoded: ten minutes are 30 MB. */
  readonly decoded: AudioPlaces
}

export const openAudioShares = (): AudioShares => ({
  encoded: new AudioPlaces(64, 24),
  large: new AudioPlaces(16, 8),
  decoded: new AudioPlaces(12, 4),
})

/** The places of this process, with a smaller share for each account. A reader without a place waits; accounts take turns. */
export class AudioPlaces {
  readonly #places: FairSemaphore

  constructor(total: number, perAccount: number) {
    this.#places = new FairSemaphore(total, perAccount)
  }

  /**
   * @returns what gives the place back, once however often it is called
   * @throws AudioBusy after ten seconds, the reason of `gone` when that is aborted before
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

/** The reader waited too long for a place. */
export class AudioBusy extends ServiceError {
  constructor() {
    super('UNAVAILABLE', 'Read other audio to its end, then try again: too much of it is read at once.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
