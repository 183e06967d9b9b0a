import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, getGlobalDispatcher, request } from 'undici'
import { systemLookup } from '../egress/system-lookup.ts'
import { clientSpan } from '../telemetry/span-names.ts'
import { inClientSpan, noteStatus, traceHeaders } from '../telemetry/spans.ts'
import { EngineError, FailedAttempt } from './engine.ts'
import { isAway, isBusy, messageOf, parseRetryAfter, textsOf, withoutWordsOf } from './server-failure.ts'

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly what: string
  readonly body?: unknown
  readonly apiKey?: string | null
  readonly signal: AbortSignal
  readonly maxBytes: number
  /** Statuses that mean "busy" besides 429 and a matching 503. */
  readonly busyStatuses?: readonly number[]
}

/**
 * Asks a server once, without redirects, and returns the answer's JSON. Errors hold no word that was sent.
 * @throws EngineError PROVIDER_BUSY, PROVIDER_UNAVAILABLE (no connection, 5xx), RENDER_FAILED (other 4xx);
 * FailedAttempt (401, 403, redirects, unusable answers); the signal's reason
 */
export function askServer(ask: Ask): Promise<unknown> {
  return inClientSpan(
    () => clientSpan(ask.method ?? 'POST', ask.what, ask.url),
    () => askOnce(ask),
  )
}

let direct: Agent | undefined
let proxied: EnvHttpProxyAgent | undefined

async function askOnce(ask: Ask): Promise<unknown> {
  const { url, signal, body } = ask
  try {
    const answer = await request(url, {
      dispatcher: dispatcher(),
      method: ask.method ?? 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ask.apiKey && { authorization: `Bearer ${ask.apiKey}` }),
        ...traceHeaders(),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      // The caller's signal ends a request, because a rendering may take as long as its job.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    noteStatus(answer.statusCode)
    answer.body.on('error', () => undefined)
    const bytes = await readAtMost(answer.body, ask.maxBytes)
    judge(ask, answer.statusCode, answer.headers['retry-after'], bytes)
    return parse(bytes)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError) throw error
    const reason = `${nameOf(url)} did not answer: ${reasonOf(error)}`
    throw new EngineError('PROVIDER_UNAVAILABLE', reason, { cause: error })
  }
}

/** Node.js and undici each have an Agent class, so its name tells the default dispatcher. */
function dispatcher(): Dispatcher {
  const own = getGlobalDispatcher()
  const connect = { lookup: systemLookup() }
  if (own.constructor.name === Agent.name) {
    direct ??= new Agent({ connect })
    return direct
  }
  if (own.constructor.name !== EnvHttpProxyAgent.name) return own
  proxied ??= new EnvHttpProxyAgent({ connect })
  return proxied
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop destroys the connection.
    if (length > maxBytes) throw new FailedAttempt(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function judge(ask: Ask, status: number, retryAfter: string | string[] | undefined, bytes: Buffer): void {
  if (status >= 200 && status < 300) return
  const { url, body, busyStatuses = [] } = ask
  const said = messageOf(bytes.toString('utf8'))
  const message = `${nameOf(url)} answered ${status}: ${withoutWordsOf(said, textsOf(body))}`
  const retryAfterMs = parseRetryAfter([retryAfter].flat()[0])
  const options = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (isBusy(status, said) || busyStatuses.includes(status)) throw new EngineError('PROVIDER_BUSY', message, options)
  if (isAway(status)) throw new EngineError('PROVIDER_UNAVAILABLE', message, options)
  // The operator must mend a wrong key or address.
  if (status < 400 || status === 401 || status === 403) throw new FailedAttempt(message)
  throw new EngineError('RENDER_FAILED', message)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // No cause, because a syntax error quotes the text.
    throw new FailedAttempt('the answer is not JSON')
  }
}

const nameOf = (url: string): string => new URL(url).host

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string') return code
  return error instanceof errors.UndiciError ? error.name : 'unknown error'
}
