import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** A name, an IPv4 address or one of IPv6 in brackets, and perhaps a port, which may be empty and is 65535 at most. */
const HOST =
  /^(?:\[[0-9a-f:.]+\]|(?:[\w.~-]|%[0-9a-f]{2})+)(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i

/** What is wrong with a request's Host header (RFC 9112 section 3.2), as a sentence for the client; null: nothing. */
export function hostViolation({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'Send a Host header.' : null
  if (!isWellFormed(host)) return 'Send a well-formed Host header.'
  return hasSeveralHosts(rawHeaders) ? 'Send one Host header.' : null
}

function isWellFormed(host: string): boolean {
  return HOST.test(host) && (!host.startsWith('[') || isIPv6(host.slice(1, host.indexOf(']'))))
}

/** Only the first is in `headers`, and what stands before this server may go by the other. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  // Every request comes by here: names of another length are passed over without a copy in lower case.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
