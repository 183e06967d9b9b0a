import type { Client, Dispatcher } from 'undici'
import { EgressFailure } from '../../egress/egress-failure.ts'
import type { Watched } from './deadlines.ts'
import type { AttemptResult } from './record-attempt.ts'
import { ATTEMPT_TIMEOUT_MS, type Outcome, RESPONSE_BYTES } from './webhook-delivery.ts'

const BODY_GRACE_MS = 1000
const BAD_RESPONSE = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INVALID|UND_ERR_RES)/

type OnEnd = (result: AttemptResult, client: Client | null, reusable: boolean) => void

/** One request and its response, within ATTEMPT_TIMEOUT_MS. Reports exactly one result. */
export class Exchange implements Dispatcher.DispatchHandler, Watched {
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
