import { setTimeout as wait } from 'node:timers/promises'
import type { AwsClient } from 'aws4fetch'
import { StoreDown } from '../errors/store-down.ts'

/** A request, its answer's headers included, has this long; then it is tried again. */
const ATTEMPT_TIMEOUT_MS = 60_000
/** A store that restarts is back within seconds: no request waits less for it. */
const WAITS_MS: readonly number[] = [100, 400, 1600]
/** Between the tries of one that waits for longer, half of it more or less by chance. */
const LONG_WAIT_MS = 2_000

/** One request to the store. */
interface S3Request {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** The statuses that are no failure. */
  readonly accept: readonly number[]
  /** How long it is repeated while the store is away, in milliseconds; a short default unless given. */
  readonly retryBudgetMs?: number | undefined
  /** Ends the request and the waiting. */
  readonly signal?: AbortSignal | undefined
}

export type Send = (request: S3Request) => Promise<Response>

/**
 * Signs and sends requests that may safely be repeated.
 * @throws Error naming the status or the reason, never the URL, StoreDown where that may pass; the signal's reason
 */
export function s3Sender(client: AwsClient): Send {
  return async ({ url, accept, method, headers = {}, body, retryBudgetMs = 0, signal }) => {
    const retryUntil = performance.now() + retryBudgetMs
    for (let attempt = 0; ; attempt++) {
      const signed = await client.sign(url, { method, headers: { ...headers }, ...(body !== undefined && { body }) })
      const result = await attemptOnce(signed, signal)
      signal?.throwIfAborted()
      if (result instanceof Response && accept.includes(result.status)) return result
      const pause = WAITS_MS[attempt] ?? (performance.now() < retryUntil ? LONG_WAIT_MS : undefined)
      const failure = result instanceof Response ? await failureOf(method, result) : result
      if (pause === undefined || !isPassing(result)) throw failure
      await wait(pause * (0.5 + Math.random()), undefined, { ...(signal && { signal }) })
    }
  }
}

async function attemptOnce(request: Request, signal: AbortSignal | undefined): Promise<Response | Error> {
  const limit = new AbortController()
  // Ends with the headers: a reader of the body may take its time.
  const timer = setTimeout(() => limit.abort(), ATTEMPT_TIMEOUT_MS)
  try {
    return await fetch(request, {
      signal: signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]),
    })
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    return new StoreDown(`S3 cannot be reached (${cause?.code ?? (error as Error).name}).`)
  } finally {
    clearTimeout(timer)
  }
}

const isPassing = (result: Response | Error): boolean =>
  !(result instanceof Response) || result.status >= 500 || result.status === 429

async function failureOf(method: string, response: Response): Promise<Error> {
  const code = /<Code>(\w+)<\/Code>/.exec(await response.text().catch(() => ''))?.[1]
  const message = `S3 answered ${response.status}${code === undefined ? '' : ` ${code}`} to ${method}.`
  return isPassing(response) ? new StoreDown(message) : new Error(message)
}
