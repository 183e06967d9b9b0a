import { CircuitBreaker } from '../engines/circuit-breaker.ts'
import { withRetryBudget } from '../engines/retry.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
const RETRY_BUDGET_MS = 2000
const LONGEST_PAUSE_MS = 1000

export interface Limit {
  readonly signal: AbortSignal
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number
}

interface Address {
  readonly url: string
  readonly apiKey: string | null
}

interface CompanionServer {
  /** @throws EngineError; or the signal's reason when aborted */
  ask(body: unknown, limit: Limit): Promise<unknown>
}

/** Asks a busy or absent server again for 2 s, or as long as it says. */
export async function openCompanionServer({ url, apiKey }: Address): Promise<CompanionServer> {
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

export const v1Url = (baseUrl: string, path: string): string =>
  `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/${path}`
