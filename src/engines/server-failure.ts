import { EngineError, FailedAttempt } from './engine.ts'

const FULL = /queue|capacity|overload|busy|too many|rate limit|throttl/i
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([408, 425])

const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

const MAX_MESSAGE_CHARACTERS = 300
const MAX_READ_CHARACTERS = 600
const TELLING_CHARACTERS = 3
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const QUOTED = /(?:[\p{L}\p{N}\p{M}]|\\u[\da-f]{4}|\\[abfnrtv]|%[\da-f]{2})+/giu
export const PROBE_MS = 2500
const NOT_IMPLEMENTED = 501
const QUOTA_SPENT = 'insufficient_quota'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ENOTFOUND: 'there is no such name',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${PROBE_MS / 1000} s`,
}

export const neverConnected = (cause: unknown): boolean => UNCONNECTED.has((cause as { code?: unknown } | null)?.code)

export const isBusy = (status: number, message: string): boolean =>
  status === 429 || (status === 503 && FULL.test(message))

export const isAway = (status: number): boolean => status >= 500 || UNAVAILABLE_STATUSES.has(status)

/** `Date.parse` accepts too much, such as "-1". */
const HTTP_DATE = /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i

/** Retry-After in milliseconds. It uses this machine's clock, as no clock is nearer to the server's. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header) * 1000
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

export function messageOf(body: string): string {
  const { error, detail, message } = Object(parseJson(body)) as Record<string, unknown>
  const reason = textOf(error) ?? textOf(detail) ?? (Array.isArray(detail) ? validationText(detail) : textOf(message))
  return reason ?? 'no reason that could be read'
}

/** OpenAI tells with the code of a busy server that the account must be paid. */
export function isQuotaSpent(body: string): boolean {
  const { code, type } = Object(Object(parseJson(body)).error) as Record<string, unknown>
  return code === QUOTA_SPENT || type === QUOTA_SPENT
}

/** Returns null for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function textOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return undefined
  const { message, error, type } = part as Record<string, unknown>
  return [message, error, type].find((value) => typeof value === 'string')
}

/** Such entries also quote the input. */
function validationText(entries: readonly unknown[]): string {
  const reasons = entries.map((entry) => {
    const { loc, msg } = (entry ?? {}) as { loc?: unknown; msg?: unknown }
    return `${Array.isArray(loc) ? loc.join('.') : 'body'} ${typeof msg === 'string' ? msg : 'is wrong'}`
  })
  return reasons.join('; ')
}

/** Removes every sent word, because errors are logged and texts never are. */
export function withoutWordsOf(message: string, texts: readonly string[]): string {
  const sent = texts.join('\n').toLowerCase()
  const wasSent = (word: string) => isTelling(word) && sent.includes(word.toLowerCase())
  const beginning = message.slice(0, MAX_READ_CHARACTERS)
  const kept = beginning.replace(QUOTED, (words) => (wordsOf(words).some(wasSent) ? '…' : words))
  return kept.slice(0, MAX_MESSAGE_CHARACTERS)
}

const isTelling = (word: string): boolean => word.length >= TELLING_CHARACTERS || /[^\p{Script=Latin}\p{N}]/u.test(word)

const wordsOf = (words: string): string[] => [words, unquoted(words)].flatMap((text) => text.match(WORD) ?? [])

const unquoted = (words: string): string =>
  words
    .replace(/\\u([\da-f]{4})/gi, (_quoted, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\[abfnrtv]/gi, ' ')
    .replace(/(?:%[\da-f]{2})+/gi, (quoted) => Buffer.from(quoted.replaceAll('%', ''), 'hex').toString())

export function textsOf(sent: unknown): string[] {
  if (typeof sent === 'string') return [sent]
  if (sent === null || typeof sent !== 'object') return []
  return Object.values(sent).flatMap(textsOf)
}

/** @throws EngineError PROVIDER_UNAVAILABLE if the server or its proxy reports an outage */
export function requireLiving(baseUrl: string, status: number, words: string): void {
  if (status === NOT_IMPLEMENTED || !isAway(status) || isBusy(status, words)) return
  throw away(`${status} was answered`, baseUrl)
}

/** @throws EngineError PROVIDER_UNAVAILABLE if the error means an outage */
export function throwIfAway(baseUrl: string, error: unknown, waitedMs = PROBE_MS): void {
  if (!(error instanceof EngineError)) {
    const isLate = (error as { name?: unknown } | null)?.name === 'TimeoutError'
    throw away(isLate ? `no answer within ${waitedMs / 1000} s` : 'no answer', baseUrl, error)
  }
  if (error.code !== 'PROVIDER_UNAVAILABLE' || error instanceof FailedAttempt) return
  const { code } = (error.cause ?? {}) as { code?: string }
  if (code === undefined) throw error
  throw away(REASONS[code] ?? `no connection (${code})`, baseUrl, error)
}

/** Removes secrets from the address. */
function away(reason: string, baseUrl: string, cause?: unknown): EngineError {
  const { origin, pathname } = new URL(baseUrl)
  const place = `${origin}${pathname}`.replace(/\/+$/, '')
  return new EngineError('PROVIDER_UNAVAILABLE', `${reason} at ${place}`, { cause })
}
