import { setTimeout as wait } from 'node:timers/promises'
import type { AwsClient } from 'aws4fetch'
import { StoreDown } from '../errors/outages.ts'

const ATTEMPT_TIMEOUT_MS = 60_000
const WAITS_MS: readonly number[] = [100, 400, 1600]
const LONG_WAIT_MS = 2_000
const MAX_RETRY_AFTER_MS = 20_000
const REQUEST_TIMEOUT = 408
const NOT_FOUND = 404
const CONFLICT = 409
const TOO_LONG = 413
const TOO_MANY_REQUESTS = 429
const NOT_IMPLEMENTED = 501
const FULL = 507
const FULL_CODE = /quota|storagefull|insufficientstorage/i
/** Temporary failures, although sent with a 400 or in a 200's body. */
const PASSING_CODES: ReadonlySet<string | undefined> = new Set([
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
  'RequestTimeout',
  'OperationAborted',
  'IncompleteBody',
  'BadDigest',
  'XAmzContentSHA256Mismatch',
])
/** These concern one object; other refusals concern the store. */
const OBJECT_CODES: ReadonlySet<string | undefined> = new Set([
  'EntityTooLarge',
  'KeyTooLongError',
  'InvalidRange',
  'NoSuchKey',
])

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const DECIMAL = 10
const HEXADECIMAL = 16

interface S3Request {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  readonly accept: readonly number[]
  /** Expected root element; any other document makes the sender repeat. */
  readonly root?: string
  /** Absent: a few short retries. */
  readonly retryBudgetMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export type Send = (request: S3Request) => Promise<Response>

interface Failure {
  readonly error: Error
  readonly isPassing: boolean
  readonly retryAfterMs?: number
}

/**
 * Signs requests and repeats temporary failures.
 * @throws Error with the status, never the URL; StoreDown if the store is at fault; the signal's reason
 */
export function s3Sender(client: AwsClient): Send {
  return async (request) => {
    const { url, method, headers = {}, body, retryBudgetMs = 0, signal } = request
    const retryUntil = performance.now() + retryBudgetMs
    for (let attempt = 0; ; attempt++) {
      const signed = await client.sign(url, { method, headers: { ...headers }, ...(body !== undefined && { body }) })
      const result = await attemptOnce(signed, request)
      signal?.throwIfAborted()
      if (result instanceof Response) return result
      const pause = WAITS_MS[attempt] ?? (performance.now() < retryUntil ? LONG_WAIT_MS : undefined)
      if (pause === undefined || !result.isPassing) throw result.error
      const asked = retryBudgetMs > 0 ? (result.retryAfterMs ?? 0) : 0
      await wait(Math.max(pause * (0.5 + Math.random()), asked), undefined, { ...(signal && { signal }) })
    }
  }
}

async function attemptOnce(signed: Request, { signal, accept, root }: S3Request): Promise<Response | Failure> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), ATTEMPT_TIMEOUT_MS)
  try {
    const response = await fetch(signed, {
      signal: signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]),
    })
    if (!accept.includes(response.status)) return failureOf(signed.method, response, await response.text())
    if (signed.method === 'PUT') return await writtenOrFailure(response)
    if (root === undefined || response.status !== 200) return response
    const document = await response.text()
    if (rootOf(document) !== root) return failureOf(signed.method, response, document)
    return new Response(document, { headers: response.headers })
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    return passing(`S3 cannot be reached (${cause?.code ?? (error as Error).name}).`)
  } finally {
    clearTimeout(timer)
  }
}

/** A PUT's answer has an ETag and no body; a proxy's page the reverse. */
async function writtenOrFailure(response: Response): Promise<Response | Failure> {
  const text = await response.text()
  return text.trim() === '' || response.headers.has('etag') ? response : failureOf('PUT', response, text)
}

const passing = (message: string): Failure => ({ error: new StoreDown(message), isPassing: true })

function failureOf(method: string, { status, headers }: Response, text: string): Failure {
  const code = textOf(text, 'Code')
  const said = code !== undefined && /^\w{1,64}$/.test(code) ? ` ${code}` : ''
  if (status === 200 && said === '') return passing(`S3 answered ${method} with a page that is not S3's.`)
  const message = `S3 answered ${status}${said} to ${method}.`
  const isPassing = PASSING_CODES.has(code) || isPassingStatus(status)
  const isAboutObject =
    OBJECT_CODES.has(code) ||
    status === TOO_LONG ||
    (status === NOT_FOUND && code !== 'NoSuchBucket' && READS.has(method))
  const isAway = isPassing || !isAboutObject
  const retryAfterMs = Math.min(Number(headers.get('retry-after')) * 1000 || 0, MAX_RETRY_AFTER_MS)
  const fault = status === FULL || FULL_CODE.test(said) ? 'full' : 'away'
  return { error: isAway ? new StoreDown(message, { fault }) : new Error(message), isPassing, retryAfterMs }
}

const isPassingStatus = (status: number): boolean =>
  (status >= 500 && status !== NOT_IMPLEMENTED) || [REQUEST_TIMEOUT, CONFLICT, TOO_MANY_REQUESTS].includes(status)

/** Returns null if the text is no XML document. */
function rootOf(text: string): string | null {
  const start = /^[\s\uFEFF]*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(text)
  return start?.[1] ?? null
}

/** The texts of all elements of this name, in any namespace. */
export const textsOf = (document: string, name: string): string[] =>
  Array.from(
    document.matchAll(new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^>]*)?>([^<]*)</(?:[\\w.-]+:)?${name}\\s*>`, 'g')),
    ([, text = '']) => decodeEntities(text.trim()),
  )

export const textOf = (document: string, name: string): string | undefined => textsOf(document, name)[0] || undefined

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code =
      hexadecimal === undefined ? Number.parseInt(decimal, DECIMAL) : Number.parseInt(hexadecimal, HEXADECIMAL)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
