import { setTimeout as wait } from 'node:timers/promises'
import type { AwsClient } from 'aws4fetch'
import { StoreDown } from '../errors/store-down.ts'
import { rootOf, textOf } from './s3-xml.ts'

/** A request, its answer's headers included, has this long; then it is tried again. */
const ATTEMPT_TIMEOUT_MS = 60_000
/** A store that restarts is back within seconds: no request waits less for it. */
const WAITS_MS: readonly number[] = [100, 400, 1600]
/** Between the tries of one that waits for longer, half of it more or less by chance. */
const LONG_WAIT_MS = 2_000
/** The longest Retry-After that a request honours. */
const MAX_RETRY_AFTER_MS = 20_000
const REQUEST_TIMEOUT = 408
const NOT_FOUND = 404
const CONFLICT = 409
const TOO_LONG = 413
const TOO_MANY_REQUESTS = 429
const NOT_IMPLEMENTED = 501
const FULL = 507
/** Ceph, MinIO and others. */
const FULL_CODE = /quota|storagefull|insufficientstorage/i
/** S3 says these with a 400, or in the body of a 200, though the same request may succeed a second later. */
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
/** S3 refuses the object itself with these: it would refuse it again. Any other refusal is about the bucket, its keys or its rights. */
const OBJECT_CODES: ReadonlySet<string | undefined> = new Set([
  'EntityTooLarge',
  'KeyTooLongError',
  'InvalidRange',
  'NoSuchKey',
])

/** A 404 is about one object only if these get it. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

/** One request to the store. */
interface S3Request {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The statuses that are no failure. */
  readonly accept: readonly number[]
  /** The root element of a 200's document. The sender reads the document, and repeats the request if S3 sent another one, or none. */
  readonly root?: string
  /** How long it is repeated while the store is away, in milliseconds; a short default unless given. */
  readonly retryBudgetMs?: number | undefined
  /** Ends the request and the waiting. */
  readonly signal?: AbortSignal | undefined
}

export type Send = (request: S3Request) => Promise<Response>

/** One attempt that failed. `error` is what the caller gets unless another attempt succeeds. */
interface Failure {
  readonly error: Error
  readonly isPassing: boolean
  readonly retryAfterMs?: number
}

/**
 * Signs and sends requests that may safely be repeated.
 * @throws Error naming the status or the reason, never the URL; StoreDown if the fault is not the object's; the signal's reason
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
  // Ends with the headers, or with a document: a reader of an object may take its time.
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

/** S3 answers a PUT with an ETag and without a body; a proxy's page has a body and no ETag. */
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
