import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

const HOST =
  /^(?:\[[0-9a-f:.]+\]|(?:[\w.~-]|%[0-9a-f]{2})+)(?::(?:\d{0,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i

/** Describes a violation of RFC 9112 section 3.2 in the Host header; null if there is none. */
export function hostViolation({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'Send a Host header.' : null
  if (!isWellFormed(host)) return 'Send a well-formed Host header.'
  return hasSeveralHosts(rawHeaders) ? 'Send one Host header.' : null
}

function isWellFormed(host: string): boolean {
  return HOST.test(host) && (!host.startsWith('[') || isIPv6(host.slice(1, host.indexOf(']'))))
}

/** Security: node keeps the first Host header, but a proxy may route by another one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
