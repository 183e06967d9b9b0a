import { setTimeout as wait } from 'node:timers/promises'
import { EngineError, FailedAttempt, type SpeechEngine } from './engine.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000
const MORE_ATTEMPTS = 2
const BREAKING_FAILURES = 5
const FIRST_PAUSE_MS = 1000
/** Less than the usual retry budget, so waiting jobs find a recovered server. */
const LONGEST_PAUSE_MS = 10_000
const PROBE_MS = 1000
const SHORTEST_WAIT_MS = 200

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

/** The server was not asked, because it counts as down. */
class OpenCircuit extends EngineError {
  readonly back: Promise<void>

  constructor(retryAfterMs: number, back: Promise<void>) {
    super('PROVIDER_UNAVAILABLE', 'The server did not answer several times in a row.', { retryAfterMs })
    this.back = back
  }
}

/**
 * Stops asking a server after five unavailable answers in a row; then single requests probe it.
 * Any other answer, a rejection included, closes the circuit.
 */
export class CircuitBreaker {
  readonly #now: () => number
  readonly #longestPauseMs: number
  #failures = 0
  #pauseMs = FIRST_PAUSE_MS
  #closedUntil = 0
  #probingUntil = 0
  #back = Promise.withResolvers<void>()

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now(), longestPauseMs = LONGEST_PAUSE_MS) {
    this.#now = now
    this.#longestPauseMs = longestPauseMs
  }

  get isOpen(): boolean {
    return this.#failures >= BREAKING_FAILURES
  }

  /** False while a request would not be sent. */
  get admits(): boolean {
    return !this.isOpen || Math.max(this.#closedUntil, this.#probingUntil) <= this.#now()
  }

  /** @throws OpenCircuit while the server counts as down */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const isProbe = this.#admit()
    try {
      const result = await work()
      this.#answered()
      return result
    } catch (error) {
      if (isUnavailable(error)) this.#failed(isProbe)
      else if (error instanceof EngineError) this.#answered()
      throw error
    } finally {
      if (isProbe) this.#probingUntil = 0
    }
  }

  #admit(): boolean {
    if (!this.isOpen) return false
    if (!this.admits) {
      const leftMs = this.#closedUntil - this.#now()
      throw new OpenCircuit(Math.max(leftMs, SHORTEST_WAIT_MS), this.#back.promise)
    }
    this.#probingUntil = this.#now() + PROBE_MS
    return true
  }

  #failed(isProbe: boolean): void {
    this.#failures++
    if (this.#failures < BREAKING_FAILURES) return
    if (isProbe) this.#pauseMs = Math.min(this.#pauseMs * 2, this.#longestPauseMs)
    this.#closedUntil = this.#now() + this.#pauseMs
  }

  #answered(): void {
    if (this.#failures >= BREAKING_FAILURES) {
      this.#back.resolve()
      this.#back = Promise.withResolvers()
    }
    this.#failures = 0
    this.#pauseMs = FIRST_PAUSE_MS
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof EngineError && error.code === 'PROVIDER_UNAVAILABLE' && !(error instanceof FailedAttempt)
