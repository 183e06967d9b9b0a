import { isUtf8 } from 'node:buffer'
import type { Cidr } from '../egress/ip-ranges.ts'
import { judgeLiteral } from '../egress/judge-host.ts'
import { EngineError } from '../engines/engine.ts'
import { type RetryOptions, withRetryBudget } from '../engines/retry.ts'
import type { ProducedFile } from '../jobs/lifecycle/produce.ts'
import { extensionOf, fetchOutput, type OutputAccess, safeContentType } from './fetch-output.ts'

const MAX_FILES = 64
const MAX_DEPTH = 64
const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i
const HTTP_URL = /^https?:\/\//i
const OTHER_URL = /^(?:[a-z][a-z0-9+.-]*:\/\/|file:)\S+$/i
const TEXTUAL = /^(?:text\/|application\/json$)/
/** A repeated group would exhaust V8's backtracking stack. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const GROUP = 4
const MAX_NAME_CHARACTERS = 63
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const REMOVED = '[address removed]'
/** The look-behind makes a long word linear. */
const ADDRESS = /(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:)?(?:\\?\/){2}(?:\\\/|[^\s"'`<>|\\^{}])+|\bfile:\S+/gi
/** Private IPv4 and names of private networks. */
const BARE =
  /(?<![\w.-])(?:(?:\d{1,3}\.){3}\d{1,3}|(?:[a-z0-9_-]+\.)+(?:internal|local|localdomain|lan|intranet|svc|cluster\.local))(?![\w-]|\.\w)(?::\d+)?(?:\/[^\s"'<>]*)?/gi
const PRIVATE_NAME = /(?:^|\.)(?:localhost|internal|local|localdomain|lan|intranet|corp|home|arpa|svc)$/i
const PUBLIC_SCHEME = /^https?:$/
const MAX_NESTED = 8

type Source = OutputAccess & Pick<RetryOptions, 'retryBudgetMs' | 'deadline'>

interface OutputName {
  readonly output: string
  readonly fileName: string
}

/**
 * A list becomes `output`, `output_1` …, an object with files its keys with dots. URLs keep their type, other strings are `text/plain`, the rest JSON.
 * @throws EngineError RENDER_FAILED for nothing or too much, PROVIDER_UNAVAILABLE if a file cannot be fetched
 */
export async function* collectOutputs(output: unknown, source: Source): AsyncGenerator<ProducedFile> {
  const values = valuesOf(output, source)
  if (values.length === 0) throw new EngineError('RENDER_FAILED', 'the prediction has no output')
  if (values.length > MAX_FILES) throw new EngineError('RENDER_FAILED', `the prediction has over ${MAX_FILES} outputs`)
  const names = nameOutputs(
    values.map(({ path }) => path),
    source.baseUrl,
  )
  for (const [index, { value }] of values.entries()) {
    const name = names[index]
    if (name === undefined) continue
    const file = await open(value, source)
    yield { ...name, extension: extensionOf(file.contentType), durationMs: null, ...file }
  }
}

type Content = Pick<ProducedFile, 'content' | 'contentType'>

interface PlacedValue {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

function valuesOf(output: unknown, source: Source, path: PlacedValue['path'] = []): PlacedValue[] {
  if (path.length > MAX_DEPTH) throw new EngineError('RENDER_FAILED', 'an output is nested too deeply')
  if (output === null || output === undefined || output === '') return []
  const below = (key: string | number, value: unknown) => valuesOf(value, source, [...path, key])
  if (Array.isArray(output)) {
    const isText =
      path.length === 0 &&
      output.length > 0 &&
      output.every((part) => typeof part === 'string' && !isFile(part, source))
    if (isText) return valuesOf(output.join(''), source, path)
    if (path.length > 0 && !holdsFile(output, source)) return [{ path, value: output }]
    return output.flatMap((value, at) => below(at, value))
  }
  if (typeof output !== 'object' || !holdsFile(output, source)) return [{ path, value: output }]
  return Object.entries(output).flatMap(([key, value]) => below(key, value))
}

function holdsFile(value: unknown, source: Source, depth = 0): boolean {
  if (depth > MAX_DEPTH) throw new EngineError('RENDER_FAILED', 'an output is nested too deeply')
  if (value === null || typeof value !== 'object') return isFile(value, source)
  return Object.values(value).some((part) => holdsFile(part, source, depth + 1))
}

const isFile = (value: unknown, { baseUrl }: Source): boolean =>
  typeof value === 'string' && (dataUrlOf(value) !== null || fileUrlOf(value, baseUrl) !== null)

const dataUrlOf = (value: string): RegExpExecArray | null => DATA_URL.exec(value.slice(0, 300).trimStart())

function fileUrlOf(value: string, baseUrl: string): string | null {
  const text = value.trim()
  if (/\s/.test(text)) return null
  if (HTTP_URL.test(text)) return text
  const url = text.startsWith('//') ? URL.parse(text, baseUrl) : null
  return url !== null && url.origin === new URL(baseUrl).origin ? url.href : null
}

async function open(value: unknown, source: Source): Promise<Content> {
  if (typeof value !== 'string') {
    return { content: Buffer.from(JSON.stringify(cleaned(value, source))), contentType: 'application/json' }
  }
  const data = dataUrlOf(value)
  if (data !== null) return decode(value.trim(), data, source)
  const url = fileUrlOf(value, source.baseUrl)
  if (url !== null) return withRetryBudget(source, () => fetchOutput(url, source))
  if (OTHER_URL.test(value.trim()))
    throw new EngineError('RENDER_FAILED', 'an output lies at an address that is not fetched from')
  return { content: Buffer.from(cleaned(value, source)), contentType: 'text/plain' }
}

function cleaned<Value>(value: Value, { baseUrl }: Source): Value {
  try {
    return withoutAddresses(value, baseUrl)
  } catch (error) {
    throw error instanceof TooDeep ? new EngineError('RENDER_FAILED', 'an output is nested too deeply') : error
  }
}

function decode(url: string, [head, type, parameters]: RegExpExecArray, source: Source): Content {
  const text = url.slice(head.length)
  const isBase64 = /;\s*base64$/i.test(parameters ?? '')
  const content = isBase64 ? decodeBase64(text) : decodePercents(text)
  if (content === null) throw new EngineError('RENDER_FAILED', 'an output is a broken data URL')
  if (content.length === 0) throw new EngineError('RENDER_FAILED', 'an output is empty')
  const contentType = safeContentType(type || 'text/plain')
  // Decoding would change bytes that are no UTF-8.
  const isText = TEXTUAL.test(contentType) && isUtf8(content)
  return { content: isText ? Buffer.from(cleaned(content.toString(), source)) : content, contentType }
}

/** Node's decoder skips invalid characters. */
function decodeBase64(text: string): Buffer | null {
  // MIME line breaks, the RFC 4648 URL alphabet and escaped signs.
  const plain = text
    .replace(/%(0[ad]|20|2b|2f|3d)/gi, (sign) => decodeURIComponent(sign))
    .replace(/[\s_-]/g, (sign) => SIGNS[sign] ?? '')
  if (!BASE64.test(plain)) return null
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0
  const isWhole = padding === 0 ? plain.length % GROUP !== 1 : plain.length % GROUP === 0
  return isWhole ? Buffer.from(plain, 'base64') : null
}

const SIGNS: Readonly<Record<string, string>> = { '-': '+', _: '/' }

function decodePercents(text: string): Buffer | null {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return null
  }
}

/** Names from paths of values, distinct also in lower case. Long keys and internal addresses are left out. */
function nameOutputs(paths: readonly (readonly (string | number)[])[], baseUrl: string): OutputName[] {
  const [names, fileNames] = [new Set<string>(), new Set<string>()]
  return paths.map((path) => {
    const output = unused(names, nameOf(path, baseUrl))
    return { output, fileName: unused(fileNames, fileNameOf(output)) }
  })
}

function nameOf(path: readonly (string | number)[], baseUrl: string): string {
  const [first, ...rest] = path
  const start = first === undefined || first === 0 ? 'output' : typeof first === 'number' ? `output_${first}` : first
  const name = [start, ...rest].join('.')
  const fits = name !== '' && name.length <= MAX_NAME_CHARACTERS && !CONTROLS.test(name) && name.isWellFormed()
  return fits && withoutAddresses(name, baseUrl) === name ? name : 'output'
}

function fileNameOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')
  return /^[a-z0-9]/.test(plain) ? plain : `output${plain}`
}

function unused(taken: Set<string>, wanted: string): string {
  let name = wanted
  for (let number = 1; taken.has(name); number++) name = `${wanted}_${number}`
  taken.add(name)
  return name
}

class TooDeep extends Error {}

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
