import { isUtf8 } from 'node:buffer'
import { EngineError } from '../engines/engine.ts'
import { type RetryOptions, withRetryBudget } from '../engines/retry.ts'
import type { ProducedFile } from '../jobs/lifecycle/produce.ts'
import { extensionOf, safeContentType } from './content-type.ts'
import { fetchOutput, type OutputAccess } from './fetch-output.ts'
import { nameOutputs } from './name-outputs.ts'
import { TooDeep, withoutAddresses } from './without-addresses.ts'

const MAX_FILES = 64
const MAX_DEPTH = 64
const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i
const HTTP_URL = /^https?:\/\//i
const OTHER_URL = /^(?:[a-z][a-z0-9+.-]*:\/\/|file:)\S+$/i
const TEXTUAL = /^(?:text\/|application\/json$)/
/** A repeated group would exhaust V8's backtracking stack. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const GROUP = 4

type Source = OutputAccess & Pick<RetryOptions, 'retryBudgetMs' | 'deadline'>

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
