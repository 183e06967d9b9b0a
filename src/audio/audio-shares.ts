import { FairSemaphore } from '../concurrency/fair-semaphore.ts'
import { ServiceError } from '../errors/service-error.ts'

const LONGEST_WAIT = { ms: 10_000, error: () => new AudioBusy() }
const RETRY_AFTER_SECONDS = 5

/** Limits per account, because signed URLs need no key and so have no rate limit. `acquire` throws AudioBusy after ten seconds. */
export interface AudioShares {
  readonly encoded: FairSemaphore
  readonly large: FairSemaphore
  readonly decoded: FairSemaphore
}

export const openAudioShares = (): AudioShares => ({
  encoded: new FairSemaphore({ total: 64, perKey: 24 }, LONGEST_WAIT),
  large: new FairSemaphore({ total: 16, perKey: 8 }, LONGEST_WAIT),
  decoded: new FairSemaphore({ total: 12, perKey: 4 }, LONGEST_WAIT),
})

export class AudioBusy extends ServiceError {
  constructor() {
    super('UNAVAILABLE', 'Read other audio to its end, then try again: too much of it is read at once.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
