import { Shares } from '../concurrency/shares.ts'
import { ServiceError } from '../errors/service-error.ts'

/** Files that one account may have encoded while they are read. */
const MOST_TRANSCODED = 24
/** Files that it may have decoded, each of which is held as a whole: ten minutes are 30 MB. */
const MOST_DECODED = 4
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/** What stored audio takes of the audio threads and of memory, by account: signed URLs need no key, and are no subject of a rate limit. */
export interface AudioShares {
  readonly transcoded: Shares
  readonly decoded: Shares
}

/** Both throw RATE_LIMITED where the share stays taken. */
export const openAudioShares = (): AudioShares => ({
  transcoded: new Shares(MOST_TRANSCODED, LONGEST_WAIT_MS, tooMany),
  decoded: new Shares(MOST_DECODED, LONGEST_WAIT_MS, tooMany),
})

const tooMany = (): ServiceError =>
  new ServiceError('RATE_LIMITED', "Read the account's other audio to its end first: too much of it is read at once.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
