import { CircuitBreaker } from '../engines/circuit-breaker.ts'
import { withRetryBudget } from '../engines/retry.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
/** How long a server that is busy or away is asked again: a caller waits for the answer. */
const RETRY_BUDGET_MS = 2000
/** Well below the retry budget: a request that comes while a server is down still waits when it is tried next. */
const LONGEST_PAUSE_MS = 1000

/** Ends the work on one request, all calls to servers together. */
export interface Limit {
  readonly signal: AbortSignal
  /** When that is, in milliseconds of `performance.now()`: a server that asks for longer is not waited for. */
  readonly deadline: number
}

interface Address {
  readonly url: string
  readonly apiKey: string | null
}

/** An address of an OpenAI-compatible server. */
interface CompanionServer {
  /** The JSON of its answer. @throws EngineError; or the signal's reason when aborted */
  ask(body: unknown, limit: Limit): Promise<unknown>
}

/**
 * Asks again for 2 s where the server is busy or away, or as long as it says itself, within the limit. While it is down it is tried once
 * a second, however many requests wait for it.
 */
export async function openCompanionServer({ url, apiKey }: Address): Promise<CompanionServer> {
  // Only where there is such a server: loading an HTTP client makes every start slower.
  const { askServer } = await import('../engines/ask-server.ts')
  const breaker = new CircuitBreaker(undefined, LONGEST_PAUSE_MS)
  const what = url.slice(url.lastIndexOf('/v1/') + '/v1/'.length)
  const retryBudgetMs = { busy: RETRY_BUDGET_MS, away: RETRY_BUDGET_MS }
  return {
    ask: (body, { signal, deadline }) =>
      withRetryBudget({ retryBudgetMs, deadline, signal }, () =>
        breaker.run(() => askServer({ url, what, body, apiKey, signal, maxBytes: MAX_ANSWER_BYTES })),
      ),
  }
}

/** An address below `/v1`, whether or not the operator wrote that part. */
export const v1Url = (baseUrl: string, path: string): string =>
  `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/${path}`
