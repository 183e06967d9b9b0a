import { EngineError, type EngineErrorCode, FailedAttempt } from './engine.ts'

const MAX_MESSAGE_CHARACTERS = 300
/** Words shorter than this say nothing about a text. */
const TELLING_CHARACTERS = 3
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

/** The failure code that an answer means (engines.md, the table of signs), and the server's words for the operator. */
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

/** The four shapes: `{error: {message}}`, `{detail: "…"}`, `{detail: {message}}`, `{detail: [{loc, msg}]}`; anything else is not repeated. */
export function messageOf(body: string): string {
  const { error, detail, message } = parseObject(body)
  const told = textOf(error) ?? textOf(detail) ?? (Array.isArray(detail) ? validationText(detail) : textOf(message))
  return told ?? 'no reason that could be read'
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return undefined
  const { message, error, type } = part as Record<string, unknown>
  return [message, error, type].find((value) => typeof value === 'string')
}

/** Only where and what: such an entry also quotes the input. */
function validationText(entries: readonly unknown[]): string {
  const told = entries.map((entry) => {
    const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown }
    return `${Array.isArray(loc) ? loc.join('.') : 'body'} ${typeof msg === 'string' ? msg : 'is wrong'}`
  })
  return told.join('; ')
}

/** Causes are logged and stored, texts never are: every word that was sent is left out of what came back. */
function withoutWordsOf(message: string, texts: readonly string[]): string {
  const sent = texts.join('\n').toLowerCase()
  const kept = message.replace(/[\p{L}\p{N}\p{M}]+/gu, (word) => {
    const isTelling = word.length >= TELLING_CHARACTERS || /[^\p{Script=Latin}\p{N}]/u.test(word)
    return isTelling && sent.includes(word.toLowerCase()) ? '…' : word
  })
  return kept.slice(0, MAX_MESSAGE_CHARACTERS)
}

/** Seconds, or an HTTP date; nonsense counts as absent. */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
