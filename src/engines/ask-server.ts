import { setTimeout as wait } from 'node:timers/promises'
import { errors, request } from 'undici'
import { EngineError } from './engine.ts'
import { messageOf, textsOf, withoutWordsOf } from './server-words.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5000

/** One JSON request to a server that the operator configured. */
export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as a bearer token. */
  readonly apiKey?: string | null
  /** Ends the request, and the waits between attempts. */
  readonly signal: AbortSignal
  /** A longer answer is refused. */
  readonly maxBytes: number
  /** Until when (of performance.now()) a server that is busy is asked again. */
  readonly busyUntilMs?: number
  /** Until when (of performance.now()) a server that does not answer, or answers with an error of its own, is asked again. */
  readonly awayUntilMs?: number
  /** Until when (of performance.now()) a server is taken at its word that says itself when to come back, even beyond those two. */
  readonly toldUntilMs?: number
  /** Statuses that mean "busy" to this server besides 429 and 503. */
  readonly busyStatuses?: readonly number[]
}

/**
 * Asks until there is an answer that can be used, and returns its JSON. Redirects are not followed. An error holds the
 * server's reason for the operator, without any word that was sent.
 * @throws EngineError PROVIDER_BUSY (429, 503), PROVIDER_UNAVAILABLE (no connection, other 5xx, 401, 403, redirects, no JSON, too
 * long), RENDER_FAILED (other 4xx); or the signal's reason when aborted
 */
export async function askServer(ask: Ask): Promise<unknown> {
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(pause * 2, LONGEST_WAIT_MS)) {
    try {
      return await askOnce(ask)
    } catch (error) {
      ask.signal.throwIfAborted()
      if (!(error instanceof Refusal) || error.code === 'RENDER_FAILED') throw error
      const waitMs = Math.max(error.retryAfterMs, pause * (0.5 + Math.random() / 2))
      const until = error.code === 'PROVIDER_BUSY' ? ask.busyUntilMs : ask.awayUntilMs
      const told = error.retryAfterMs > 0 ? (ask.toldUntilMs ?? 0) : 0
      if (performance.now() + waitMs > Math.max(until ?? 0, told)) throw error
      await wait(waitMs, undefined, { signal: ask.signal }).catch(() => ask.signal.throwIfAborted())
    }
  }
}

/** A refusal that may be temporary. */
class Refusal extends EngineError {
  override readonly retryAfterMs: number

  constructor(code: EngineError['code'], message: string, retryAfterMs = 0, options?: ErrorOptions) {
    super(code, message, options)
    this.retryAfterMs = retryAfterMs
  }
}

async function askOnce(ask: Ask): Promise<unknown> {
  const { url, signal, body } = ask
  try {
    const answer = await request(url, {
      method: ask.method ?? 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ask.apiKey && { authorization: `Bearer ${ask.apiKey}` }),
        ...ask.headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      // The signal is the only clock: a rendering may take as long as its job.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    answer.body.on('error', () => undefined)
    const bytes = await readAtMost(answer.body, ask.maxBytes)
    judge(ask, answer.statusCode, answer.headers['retry-after'], bytes)
    return parse(bytes)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError) throw error
    throw new Refusal('PROVIDER_UNAVAILABLE', `${nameOf(url)} did not answer: ${reasonOf(error)}`, 0, { cause: error })
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop destroys the connection.
    if (length > maxBytes) throw new Refusal('PROVIDER_UNAVAILABLE', `the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function judge(ask: Ask, status: number, retryAfter: string | string[] | undefined, bytes: Buffer): void {
  if (status >= 200 && status < 300) return
  const { url, body, busyStatuses = [] } = ask
  const told = withoutWordsOf(messageOf(bytes.toString('utf8')), textsOf(body))
  const message = `${nameOf(url)} answered ${status}: ${told}`
  const seconds = Number(retryAfter)
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0
  if (status === 429 || status === 503 || busyStatuses.includes(status)) {
    throw new Refusal('PROVIDER_BUSY', message, retryAfterMs)
  }
  // A wrong key or address is the operator's mistake: the caller's inputs may be fine.
  if (status < 400 || status >= 500 || status === 401 || status === 403) {
    throw new Refusal('PROVIDER_UNAVAILABLE', message, retryAfterMs)
  }
  throw new Refusal('RENDER_FAILED', message)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // No cause: a syntax error quotes the text.
    throw new Refusal('PROVIDER_UNAVAILABLE', 'the answer is not JSON')
  }
}

const nameOf = (url: string): string => new URL(url).host

function reasonOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string') return code
  return error instanceof errors.UndiciError ? error.name : 'unknown error'
}
