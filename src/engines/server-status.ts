/** Words of a server that is full, whatever its status says. */
const FULL = /queue|capacity|overload|busy|too many|rate limit|throttl/i
/** The server's own failures under a client error's code. */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([408, 425])

/** There was no connection to send anything over. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether a request failed before anything of it was sent. */
export const neverConnected = (cause: unknown): boolean => UNCONNECTED.has((cause as { code?: unknown } | null)?.code)

/** Whether a status, with the server's words, says that it is full now. */
export const isBusy = (status: number, message: string): boolean =>
  status === 429 || (status === 503 && FULL.test(message))

/** Whether a status says that the server cannot work now. */
export const isAway = (status: number): boolean => status >= 500 || UNAVAILABLE_STATUSES.has(status)

/** Every form of one begins with the day of the week. Dates are also made of much else, such as "-1". */
const HTTP_DATE = /^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i

/**
 * A Retry-After header in milliseconds: seconds, or an HTTP date, by the clock of this machine: that of the
 * database, which the context has, is no nearer to the server's. Nonsense counts as absent.
 */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header) * 1000
  const at = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
