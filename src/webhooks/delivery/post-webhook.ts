import { type buildConnector, Client, type Dispatcher } from 'undici'
import type { Guard } from '../../egress/connect-guarded.ts'
import { EgressFailure, judgeHost, judgeLiteral } from '../../egress/judge-host.ts'
import { traceHeaders } from '../../telemetry/spans.ts'
import type { Attempt } from './begin-attempt.ts'
import { requestHeaders } from './delivery-request.ts'
import type { AttemptResult } from './record-attempt.ts'
import { ATTEMPT_TIMEOUT_MS, type Outcome, RESPONSE_BYTES } from './webhook-delivery.ts'

const MAX_TARGETS = 1000
const BODY_GRACE_MS = 1000
const BAD_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INVALID|UND_ERR_RES)/
/** Shorter than a receiver's own idle timeout (5 s in Node), so that a request never meets a closing socket. */
const KEEP_ALIVE_MS = 4000
const SWEEP_MS = 10_000
const MAX_HEADER_BYTES = 16_384
const TICK_MS = 50

interface Target {
  readonly origin: string
  readonly hostname: string
  readonly port: number
  readonly path: string
  readonly isGoodAddress: boolean
}

interface Poster {
  readonly guard: Guard
  readonly connections: Connections
  readonly deadlines: Deadlines
}

/** Never throws. */
export type PostWebhook = (attempt: Attempt, signal: AbortSignal) => Promise<AttemptResult>

type OnEnd = (result: AttemptResult, client: Client | null, reusable: boolean) => void

/** Keep-alive connections to receivers; one attempt uses one connection, so a hanging receiver delays no other. */
export interface Connections {
  take(origin: string): Client
  release(origin: string, client: Client): void
  close(): Promise<void>
}

interface Idle {
  readonly client: Client
  readonly since: number
}

interface Watched {
  /**
   * Runs every 50 ms.
   * @param now milliseconds of a monotonic clock
   */
  check(now: number): void
}

interface Deadlines {
  watch(watched: Watched): void
  forget(watched: Watched): void
}

/**
 * Sends one attempt without following redirects. Each attempt resolves and checks the host again, even on an open connection,
 * against server-side request forgery.
 */
export function openPostWebhook(poster: Poster): PostWebhook {
  const { guard, connections, deadlines } = poster
  const targets = new Map<string, Target>()
  const targetOf = (url: string): Target => {
    const known = targets.get(url)
    if (known !== undefined) return known
    const target = toTarget(url, guard)
    if (targets.size >= MAX_TARGETS) targets.clear()
    targets.set(url, target)
    return target
  }
  return (attempt, signal) =>
    new Promise((resolve) => {
      const target = targetOf(attempt.url)
      const exchange = new Exchange(signal, (result, client, reusable) => {
        deadlines.forget(exchange)
        if (reusable) connections.release(target.origin, client!)
        else void client?.destroy()
        resolve(result)
      })
      deadlines.watch(exchange)
      const send = () => exchange.send(() => connections.take(target.origin), toRequest(target, attempt))
      if (target.isGoodAddress || guard.receivers?.find(target.hostname, target.port)) send()
      else
        judgeHost(target.hostname, guard.resolver, guard.egressAllow)
          .then(send)
          .catch((error) => exchange.fail(error))
    })
}

function toTarget(text: string, { egressAllow }: Guard): Target {
  const { origin, hostname, port, pathname, search } = new URL(text)
  const isGoodAddress = judgeLiteral(hostname, egressAllow) === true
  return { origin, hostname, port: Number(port), path: pathname + search, isGoodAddress }
}

const toRequest = ({ path }: Target, { headers, body }: Attempt): Dispatcher.DispatchOptions => ({
  method: 'POST',
  path,
  headers: { ...requestHeaders(headers), ...traceHeaders() },
  body,
})

/** One request and its response, within ATTEMPT_TIMEOUT_MS. Reports exactly one result. */
class Exchange implements Dispatcher.DispatchHandler, Watched {
  readonly #started = performance.now()
  readonly #signal: AbortSignal
  readonly #onEnd: OnEnd
  #client: Client | null = null
  #status: number | null = null
  #answeredAt: number | null = null
  readonly #chunks: Buffer[] = []
  #length = 0
  #ended = false

  constructor(signal: AbortSignal, onEnd: OnEnd) {
    this.#signal = signal
    this.#onEnd = onEnd
  }

  send(take: () => Client, request: Dispatcher.DispatchOptions): void {
    if (this.#ended) return
    this.#client = take()
    this.#client.dispatch(request, this)
  }

  fail(error: unknown): void {
    this.#end(this.#signal.aborted ? 'interrupted' : outcomeOf(error))
  }

  check(now: number): void {
    if (this.#signal.aborted) this.#end('interrupted')
    else if (now - this.#started >= ATTEMPT_TIMEOUT_MS) this.#end('timeout')
    else if (this.#status !== null) {
      this.#answeredAt ??= now
      if (now - this.#answeredAt >= BODY_GRACE_MS) this.#end('timeout')
    }
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, statusCode: number): void {
    if (statusCode >= 200) this.#status = statusCode
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length > RESPONSE_BYTES) this.#end('bad_response')
  }

  onResponseEnd(): void {
    this.#end('bad_response', true)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error)
  }

  #end(without: Outcome, reusable = false): void {
    if (this.#ended) return
    this.#ended = true
    const status = this.#status
    const outcome = status === null ? without : status < 300 ? 'succeeded' : (`status_${status}` as const)
    const response = status === null ? null : this.#firstBytes()
    const durationMs = performance.now() - this.#started
    this.#onEnd({ outcome, durationMs, responseStatus: status, response }, this.#client, reusable)
  }

  #firstBytes(): Buffer {
    return this.#length === 0 ? NOTHING : Buffer.concat(this.#chunks).subarray(0, RESPONSE_BYTES)
  }
}

const NOTHING = Buffer.alloc(0)

function outcomeOf(error: unknown): Outcome {
  if (error instanceof EgressFailure) return error.outcome
  const { code = '', name } = error as { code?: string; name: string }
  return name === 'HTTPParserError' || BAD_RESPONSE.test(code) ? 'bad_response' : 'connection_closed'
}

export function openConnections(connect: buildConnector.connector): Connections {
  const idle = new Map<string, Idle[]>()
  const sweep = setInterval(() => {
    const old = performance.now() - SWEEP_MS
    for (const [origin, clients] of idle) {
      const young = clients.filter(({ since }) => since > old)
      for (const { client, since } of clients) if (since <= old) void client.destroy()
      if (young.length === 0) idle.delete(origin)
      else idle.set(origin, young)
    }
  }, SWEEP_MS)
  sweep.unref()
  return {
    take: (origin) => idle.get(origin)?.pop()?.client ?? openClient(origin, connect),
    release: (origin, client) => {
      const clients = idle.get(origin)
      const entry = { client, since: performance.now() }
      if (clients === undefined) idle.set(origin, [entry])
      else clients.push(entry)
    },
    close: async () => {
      clearInterval(sweep)
      const clients = [...idle.values()].flat()
      idle.clear()
      await Promise.all(clients.map(({ client }) => client.destroy()))
    },
  }
}

const openClient = (origin: string, connect: buildConnector.connector): Client =>
  new Client(origin, {
    connect,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 2 * ATTEMPT_TIMEOUT_MS,
    bodyTimeout: 2 * ATTEMPT_TIMEOUT_MS,
  })

export function openDeadlines(): Deadlines {
  const all = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  const tick = (): void => {
    const now = performance.now()
    for (const watched of all) watched.check(now)
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    watch: (watched) => {
      all.add(watched)
      timer ??= setInterval(tick, TICK_MS)
    },
    forget: (watched) => all.delete(watched),
  }
}
