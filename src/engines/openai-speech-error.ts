import { EngineError, type EngineErrorCode, FailedAttempt } from './engine.ts'
import { messageOf, withoutWordsOf } from './server-words.ts'

const FULL = /queue|capacity|overload|busy|too many|rate limit|throttl/i
/** vLLM-Omni says so with a 400 when the fault is its own. */
const SERVERS_OWN_FAULT = /did not produce audio output|speech generation failed/i
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([408, 425])
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 410, 413, 414, 415, 422])

/** An answer that is no success, as far as it was read. */
export interface Refusal {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
  /** What was sent: none of its words goes into the error. */
  readonly texts: readonly string[]
}

/** The failure code that an answer means (spec 7.3), and the server's words for the operator. */
export function toEngineError({ status, retryAfter, body, texts }: Refusal): EngineError {
  const message = messageOf(body)
  const retryAfterMs = parseRetryAfter(retryAfter)
  const told = `The server answered ${status}: ${withoutWordsOf(message, texts)}`
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 400 && SERVERS_OWN_FAULT.test(message)) return new FailedAttempt(told, options)
  return new EngineError(codeOf(status, message), told, options)
}

function codeOf(status: number, message: string): EngineErrorCode {
  if (status === 429 || (status === 503 && FULL.test(message))) return 'PROVIDER_BUSY'
  if (status >= 500 || UNAVAILABLE_STATUSES.has(status)) return 'PROVIDER_UNAVAILABLE'
  // What is left is the operator's to mend: a key that is not accepted, an address that redirects.
  return REFUSAL_STATUSES.has(status) ? 'RENDER_FAILED' : 'INTERNAL_ERROR'
}

/** Seconds, or an HTTP date; nonsense counts as absent. */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
