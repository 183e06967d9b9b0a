import { EngineError, type EngineErrorCode, FailedAttempt } from './engine.ts'
import { isAway, isBusy, parseRetryAfter } from './server-status.ts'
import { messageOf, withoutWordsOf } from './server-words.ts'

/** vLLM-Omni sends these with a 400. */
const SERVERS_OWN_FAULT = /did not produce audio output|speech generation failed/i
const REJECTED_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 410, 413, 414, 415, 422])

interface ErrorAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
  /** The error must hold none of these words. */
  readonly texts: readonly string[]
}

export function toEngineError({ status, retryAfter, body, texts }: ErrorAnswer): EngineError {
  const message = messageOf(body)
  const retryAfterMs = parseRetryAfter(retryAfter)
  const reason = `The server answered ${status}: ${withoutWordsOf(message, texts)}`
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 400 && SERVERS_OWN_FAULT.test(message)) return new FailedAttempt(reason, options)
  return new EngineError(codeOf(status, message), reason, options)
}

function codeOf(status: number, message: string): EngineErrorCode {
  if (isBusy(status, message)) return 'PROVIDER_BUSY'
  if (isAway(status)) return 'PROVIDER_UNAVAILABLE'
  // The operator must mend a rejected key or a redirecting address.
  return REJECTED_STATUSES.has(status) ? 'RENDER_FAILED' : 'INTERNAL_ERROR'
}
