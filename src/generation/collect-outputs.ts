import { EngineError } from '../engines/engine.ts'
import { type RetryOptions, withRetryBudget } from '../engines/retry.ts'
import type { ProducedFile } from '../jobs/lifecycle/produce.ts'
import { extensionOf, safeContentType } from './content-type.ts'
import { fetchOutput, type OutputAccess } from './fetch-output.ts'

/** More files than this are taken for a violation of the workflow. */
const MAX_FILES = 64
const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i
const HTTP_URL = /^https?:\/\//i
/** With a group that is repeated, V8 would keep a place to return to for each of millions of groups. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const GROUP = 4
const NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/

/** Where files come from, and how long they are asked for. */
type Source = OutputAccess & Pick<RetryOptions, 'retryBudgetMs' | 'deadline'>

/**
 * The output of a prediction, file by file. One value is named `output`; values of a list are `output`,
 * `output_1`, `output_2` …; those of an object have its keys. Data URLs and http URLs become files of their own type, other strings
 * `text/plain`, anything else `application/json`. A list of strings that are no URLs is one text in pieces.
 * @throws EngineError RENDER_FAILED where there is nothing or too much, PROVIDER_UNAVAILABLE where a file cannot be fetched
 */
export async function* collectOutputs(output: unknown, source: Source): AsyncGenerator<ProducedFile> {
  const named = namedValues(output)
  if (named.length === 0) throw new EngineError('RENDER_FAILED', 'the prediction has no output')
  if (named.length > MAX_FILES) throw new EngineError('RENDER_FAILED', `the prediction has over ${MAX_FILES} outputs`)
  for (const [name, value] of named) {
    const file = await open(value, source)
    yield { output: name, extension: extensionOf(file.contentType), durationMs: null, ...file }
  }
}

type Content = Pick<ProducedFile, 'content' | 'contentType'>

function namedValues(output: unknown): [string, unknown][] {
  if (output === null || output === undefined || output === '') return []
  if (Array.isArray(output)) {
    const isText = output.length > 0 && output.every((part) => typeof part === 'string' && !isFile(part))
    if (isText) return namedValues(output.join(''))
    return output.map((value, at) => [at === 0 ? 'output' : `output_${at}`, value])
  }
  if (typeof output !== 'object') return [['output', output]]
  const entries = Object.entries(output).filter(([, value]) => value !== null)
  // Names that cannot be part of an address leave the object in one piece.
  const fits = entries.every(([name, value]) => NAME_FORM.test(name) && isFile(value))
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (!fits || names.size < entries.length) return [['output', output]]
  return entries.map(([name, value]) => [name.toLowerCase(), value])
}

const isFile = (value: unknown): boolean =>
  typeof value === 'string' && (DATA_URL.test(value.slice(0, 300)) || HTTP_URL.test(value))

async function open(value: unknown, source: Source): Promise<Content> {
  if (typeof value !== 'string') return { content: Buffer.from(JSON.stringify(value)), contentType: 'application/json' }
  const data = DATA_URL.exec(value.slice(0, 300))
  if (data !== null) return decode(value, data)
  if (HTTP_URL.test(value)) return withRetryBudget(source, () => fetchOutput(value, source))
  return { content: Buffer.from(value), contentType: 'text/plain' }
}

function decode(url: string, [head, type, parameters]: RegExpExecArray): Content {
  const text = url.slice(head.length)
  const isBase64 = /;base64$/i.test(parameters ?? '')
  const content = isBase64 ? decodeBase64(text) : decodePercents(text)
  if (content === null) throw new EngineError('RENDER_FAILED', 'an output is a broken data URL')
  if (content.length === 0) throw new EngineError('RENDER_FAILED', 'an output is empty')
  return { content, contentType: safeContentType(type || 'text/plain') }
}

/** Node's own decoder leaves out what is no base64: half a picture would pass for a whole one. */
function decodeBase64(text: string): Buffer | null {
  if (!BASE64.test(text)) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const isWhole = padding === 0 ? text.length % GROUP !== 1 : text.length % GROUP === 0
  return isWhole ? Buffer.from(text, 'base64') : null
}

function decodePercents(text: string): Buffer | null {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    return null
  }
}
