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
