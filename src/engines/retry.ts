import { setTimeout as wait } from 'node:timers/promises'
import { OpenCircuit } from './circuit-breaker.ts'
import { EngineError, FailedAttempt, type SpeechEngine } from './engine.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000
const MORE_ATTEMPTS = 2

export interface RetryBudgetMs {
  /** At a full server; it starts again after an outage, when all jobs return at once. */
  readonly busy: number
  readonly away: number
}

export interface RetryOptions {
  readonly retryBudgetMs: RetryBudgetMs
  /** In milliseconds of `performance.now()`. */
  readonly deadline?: number | undefined
  readonly signal: AbortSignal
  readonly failed?: { attempts: number }
  readonly random?: () => number
}

/**
 * Repeats `work` while the server is busy or unavailable, with doubling, randomized waits.
 * A Retry-After may exceed the budget, but not the deadline. @throws the error of `work`; the signal's reason
 */
export async function withRetryBudget<T>(
  { retryBudgetMs, deadline, signal, failed = { attempts: 0 }, random = Math.random }: RetryOptions,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  let lastAway = began
  for (let backoffMs = FIRST_WAIT_MS; ; backoffMs = Math.min(backoffMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error)) throw error
      if (error instanceof FailedAttempt && ++failed.attempts > MORE_ATTEMPTS) throw error
      const isAway = error.code === 'PROVIDER_UNAVAILABLE'
      if (isAway) lastAway = performance.now()
      const retryUntil = isAway ? began + retryBudgetMs.away : lastAway + retryBudgetMs.busy
      const waitMs = (error.retryAfterMs ?? backoffMs / 2) + (random() * backoffMs) / 2
      const leftMs = leftFor(error, waitMs, { retryUntil, deadline })
      if (signal.aborted || leftMs <= 0) throw error
      await pause(Math.ceil(Math.min(waitMs, leftMs)), error, signal)
    }
  }
}

/** Wakes up as soon as another request reaches the server. */
async function pause(milliseconds: number, error: EngineError, signal: AbortSignal): Promise<void> {
  const found = new AbortController()
  if (error instanceof OpenCircuit) void error.back.then(() => found.abort())
  const over = AbortSignal.any([signal, found.signal])
  await wait(milliseconds, undefined, { signal: over }).catch(() => signal.throwIfAborted())
}

export const withRetries = (
  engine: SpeechEngine,
  { retryBudgetMs, random }: { readonly retryBudgetMs: number; readonly random?: () => number },
): SpeechEngine => ({
  ...engine,
  speak: (request) => {
    const options = {
      retryBudgetMs: { busy: retryBudgetMs, away: retryBudgetMs },
      ...(random !== undefined && { random }),
    }
    return withRetryBudget({ ...options, deadline: request.deadline, signal: request.signal }, () =>
      engine.speak(request),
    )
  },
})

function leftFor(
  error: EngineError,
  waitMs: number,
  { retryUntil, deadline }: { readonly retryUntil: number; readonly deadline: number | undefined },
): number {
  const now = performance.now()
  if (isTold(error)) return now + waitMs < (deadline ?? retryUntil) ? waitMs : 0
  const nextAt = Math.min(now + waitMs, retryUntil)
  return nextAt < (deadline ?? Number.POSITIVE_INFINITY) ? Math.max(0, nextAt - now) : 0
}

const isPassing = (error: unknown): error is EngineError =>
  error instanceof EngineError && (error.code === 'PROVIDER_BUSY' || error.code === 'PROVIDER_UNAVAILABLE')

const isTold = (error: EngineError): boolean => error.retryAfterMs !== undefined && !(error instanceof OpenCircuit)
