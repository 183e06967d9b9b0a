import { addAbortListener } from 'node:events'
import type { Readable } from 'node:stream'
import { Agent } from 'undici'
import { orAborted } from '../../concurrency/or-aborted.ts'
import { type Guard, guardedConnector } from '../../egress/connect-guarded.ts'
import { EgressFailure, judgeHost } from '../../egress/judge-host.ts'
import { traceHeaders } from '../../telemetry/spans.ts'
import { requestHeaders } from './delivery-request.ts'
import {
  ATTEMPT_TIMEOUT_MS,
  type Attempt,
  type AttemptResult,
  type Outcome,
  RESPONSE_BYTES,
} from './webhook-delivery.ts'

const BODY_GRACE_MS = 1000
const BAD_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INVALID|UND_ERR_RES)/
/** Shorter than a receiver's own idle timeout (5 s in Node), so that a request never meets a closing socket. */
const KEEP_ALIVE_MS = 4000
const MAX_HEADER_BYTES = 16_384

export interface Poster {
  /** Sends one attempt without following redirects. Never throws. */
  post(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult>
  close(): Promise<void>
}

/** Keeps connections to receivers alive; one attempt at a time uses a connection, so a hanging receiver delays no other. */
export function openPoster(guard: Guard): Poster {
  const agent = new Agent({
    connect: guardedConnector(guard),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 2 * ATTEMPT_TIMEOUT_MS,
    bodyTimeout: 2 * ATTEMPT_TIMEOUT_MS,
  })
  return { post: (attempt, signal) => post(guard, agent, attempt, signal), close: () => agent.destroy() }
}

async function post(guard: Guard, agent: Agent, attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
  const started = performance.now()
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ATTEMPT_TIMEOUT_MS)
  const interruption = addAbortListener(signal, () => over.abort())
  try {
    const { origin, hostname, port, pathname, search } = new URL(attempt.url)
    // A name may lead to a private address by now, even if a connection is still open.
    if (!guard.receivers?.find(hostname, Number(port)))
      await orAborted(over.signal, judgeHost(hostname, guard.resolver, guard.egressAllow))
    const { statusCode, body } = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { ...requestHeaders(attempt.headers), ...traceHeaders() },
      body: attempt.body,
      signal: over.signal,
    })
    const response = await firstBytes(body)
    const outcome = statusCode < 300 ? 'succeeded' : (`status_${statusCode}` as const)
    return { outcome, durationMs: performance.now() - started, responseStatus: statusCode, response }
  } catch (error) {
    const outcome = signal.aborted ? 'interrupted' : over.signal.aborted ? 'timeout' : outcomeOf(error)
    return { outcome, durationMs: performance.now() - started, responseStatus: null, response: null }
  } finally {
    clearTimeout(timer)
    interruption[Symbol.dispose]()
  }
}

/** The status stands, whatever becomes of the body. Events, because an iterator of the stream takes a twentieth of an attempt. */
function firstBytes(body: Readable): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  const grace = setTimeout(() => body.destroy(), BODY_GRACE_MS)
  // The receiver may break off or take too long.
  body.on('error', () => undefined)
  body.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > RESPONSE_BYTES) body.destroy()
  })
  body.once('close', () => {
    clearTimeout(grace)
    resolve(Buffer.concat(chunks).subarray(0, RESPONSE_BYTES))
  })
  return promise
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof EgressFailure) return error.outcome
  const { code = '', name } = error as { code?: string; name: string }
  return name === 'HTTPParserError' || BAD_RESPONSE.test(code) ? 'bad_response' : 'connection_closed'
}
