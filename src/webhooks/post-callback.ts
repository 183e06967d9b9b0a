import type { Readable } from 'node:stream'
import type { Client, Dispatcher } from 'undici'
import type { Attempt } from './begin-attempt.ts'
import type { Guard } from './connect-guarded.ts'
import type { Connections } from './connections.ts'
import { judgeHost } from './judge-host.ts'
import type { AttemptResult } from './record-attempt.ts'
import { ATTEMPT_TIMEOUT_MS, DeliveryFailure, type Outcome, RESPONSE_BYTES } from './webhook-delivery.ts'

/** The status decides; the body, which is only kept for the record, gets this long. */
const BODY_GRACE_MS = 1000
const BAD_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INVALID|UND_ERR_RES)/

export interface Poster {
  readonly guard: Guard
  readonly connections: Connections
}

/**
 * Sends one attempt's frozen bytes within 10 s over DNS, TLS and response together (spec 6.4). Redirects are not followed. The host is
 * judged here at every attempt, also for one that finds a connection open from before. Never throws.
 */
export async function postCallback(poster: Poster, attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
  const started = performance.now()
  const url = new URL(attempt.url)
  const client = poster.connections.take(url.origin)
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), ATTEMPT_TIMEOUT_MS)
  const abort = () => deadline.abort()
  signal.addEventListener('abort', abort, { once: true })
  const result = (outcome: Outcome, responseStatus: number | null = null, response: Buffer | null = null) => ({
    outcome,
    responseStatus,
    response,
    durationMs: performance.now() - started,
  })
  let reusable = false
  try {
    await before(deadline.signal, judgeHost(url.hostname, poster.guard.resolver, poster.guard.egressAllow))
    // While it connects, the client itself does not hear of the deadline.
    const response = await before(deadline.signal, send(client, url, attempt, deadline.signal))
    const { bytes, whole } = await firstBytes(response.body)
    reusable = whole
    const { statusCode } = response
    return result(statusCode >= 200 && statusCode < 300 ? 'succeeded' : `status_${statusCode}`, statusCode, bytes)
  } catch (error) {
    if (signal.aborted) return result('interrupted')
    return result(deadline.signal.aborted ? 'timeout' : outcomeOf(error))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    if (reusable) poster.connections.giveBack(url.origin, client)
    else void client.destroy()
  }
}

const send = (client: Client, url: URL, attempt: Attempt, signal: AbortSignal): Promise<Dispatcher.ResponseData> =>
  client.request({
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Sonant',
      'webhook-id': attempt.headers.id,
      'webhook-timestamp': attempt.headers.timestamp,
      'webhook-signature': attempt.headers.signature,
    },
    body: attempt.body,
    signal,
  })

/** The start of a body as it came: compressed ones are not unpacked. `whole`: nothing is left of it on the connection. */
async function firstBytes(body: Readable): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => body.destroy(), BODY_GRACE_MS)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > RESPONSE_BYTES) break
    }
  } catch {
    return { bytes: Buffer.concat(chunks).subarray(0, RESPONSE_BYTES), whole: false }
  } finally {
    clearTimeout(timer)
  }
  return { bytes: Buffer.concat(chunks).subarray(0, RESPONSE_BYTES), whole: length <= RESPONSE_BYTES }
}

/** Waits for `work` as long as the signal allows. */
function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new DeliveryFailure('timeout', 'the deadline passed'))
    signal.addEventListener('abort', late, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late))
  })
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof DeliveryFailure) return error.outcome
  const { code = '', name } = error as { code?: string; name: string }
  return name === 'HTTPParserError' || BAD_RESPONSE.test(code) ? 'bad_response' : 'connection_closed'
}
