import type { Cidr } from '../egress/ip-ranges.ts'
import { judgeLiteral } from '../egress/judge-host.ts'

const REMOVED = '[address removed]'
/** The look-behind makes a long word linear. */
const ADDRESS = /(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:)?(?:\\?\/){2}(?:\\\/|[^\s"'`<>|\\^{}])+|\bfile:\S+/gi
/** Private IPv4 and names of private networks. */
const BARE =
  /(?<![\w.-])(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[a-z0-9_-]+\.)+(?:internal|local|localdomain|lan|intranet|svc|cluster\.local))(?![\w-]|\.\w)(?::\d+)?(?:\/[^\s"'<>]*)?/gi
const PRIVATE_NAME = /(?:^|\.)(?:localhost|internal|local|localdomain|lan|intranet|corp|home|arpa|svc)$/i
const PUBLIC_SCHEME = /^https?:$/
const MAX_DEPTH = 64

const MAX_NESTED = 8

export class TooDeep extends Error {}

/**
 * Removes internal addresses from texts, keys and JSON inside texts.
 * @throws TooDeep
 */
export function withoutAddresses<Value>(value: Value, baseUrl: string): Value {
  const own = new URL(baseUrl).hostname
  const clean = (part: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new TooDeep()
    if (typeof part === 'string') return cleanText(part, own, (inner) => clean(inner, depth + 1))
    if (Array.isArray(part)) return part.map((item) => clean(item, depth + 1))
    if (part === null || typeof part !== 'object') return part
    const entries = Object.entries(part).map(([key, item]) => [cleanText(key, own), clean(item, depth + 1)] as const)
    return Object.fromEntries(entries)
  }
  return clean(value, 0) as Value
}

function cleanText(text: string, own: string, cleanJson?: (value: unknown) => unknown): string {
  const json = cleanJson && /^\s*[[{"]/.test(text) ? parsed(text) : undefined
  if (json !== undefined && cleanJson) {
    const cleaned = JSON.stringify(cleanJson(json))
    if (cleaned !== JSON.stringify(json)) return cleaned
  }
  return text
    .replace(ADDRESS, (address) => (isPublic(address, own) ? address : REMOVED))
    .replace(BARE, (address) => (isPublic(`http://${address}`, own) ? address : REMOVED))
    .replace(ownPlace(own), REMOVED)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ownPlace(own: string): RegExp {
  const host = own.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const rest =
    own.includes('.') || own.includes(':')
      ? '(?::\\d+)?(?:/[^\\s"\'<>]*)?'
      : '(?::\\d+(?:/[^\\s"\'<>]*)?|/[^\\s"\'<>]+)'
  return new RegExp(`(?<![\\w.-])${host}(?![\\w-]|\\.\\w)${rest}`, 'gi')
}

function isPublic(address: string, own: string, nested = 0): boolean {
  if (nested > MAX_NESTED) return false
  const plain = address.replaceAll('\\/', '/')
  const url = URL.parse(plain.startsWith('//') ? `http:${plain}` : plain)
  if (url === null || !PUBLIC_SCHEME.test(url.protocol) || url.username !== '' || url.password !== '') return false
  const host = url.hostname.replace(/\.+$/, '')
  if (host === own || judgeLiteral(host, NOTHING_ALLOWED) === false || PRIVATE_NAME.test(host)) return false
  if (judgeLiteral(host, NOTHING_ALLOWED) === null && !host.includes('.')) return false
  // A parameter may hold another address.
  const inner = decoded(plain.slice(plain.indexOf('//') + 2))
  return [...inner.matchAll(ADDRESS)].every(([found]) => isPublic(found, own, nested + 1))
}

const NOTHING_ALLOWED: readonly Cidr[] = []

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
