import type { IncomingMessage } from 'node:http'

/** A name, an IPv4 address or one of IPv6 in brackets, and perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|(?:[\w.~-]|%[0-9a-f]{2})+)(?::(\d{1,5}))?$/i
const MAX_PORT = 65_535

/** What is wrong with a request's Host header (RFC 9112 section 3.2), as a sentence for the client; null: nothing. */
export function hostViolation({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.1' ? 'Send a Host header.' : null
  const [matches, , port = '0'] = HOST.exec(host) ?? []
  if (matches === undefined || Number(port) > MAX_PORT) return 'Send a well-formed Host header.'
  // Only the first is in `headers`, and what stands before this server may go by the other.
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  return count > 1 ? 'Send one Host header.' : null
}
