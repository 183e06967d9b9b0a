import { EngineError, FailedAttempt } from './engine.ts'

/** Failures in a row that make a server count as down. */
const BREAKING_FAILURES = 5
const FIRST_PAUSE_MS = 1000
/** Well below the usual retry budget: a server that is back must be found before the jobs that wait for it give up. */
const LONGEST_PAUSE_MS = 10_000
/** A request that tries a server for this long has found one that takes requests: the next one need not wait for its answer. */
const PROBE_MS = 1000
const SHORTEST_WAIT_MS = 200

/** The server was not asked: how long to wait is this process's own guess. */
export class OpenCircuit extends EngineError {
  /** Resolves when the server was found to live again. */
  readonly back: Promise<void>

  constructor(retryAfterMs: number, back: Promise<void>) {
    super('PROVIDER_UNAVAILABLE', 'The server did not answer several times in a row.', { retryAfterMs })
    this.back = back
  }
}

/**
 * Remembers, for one server, whether it is worth asking. After five unavailable answers in a row the server is not asked for a second;
 * then one request tries it, another one each second that it is not answered, and while that fails the pause doubles, up to
 * `longestPauseMs`. Any other answer, a rejection or an attempt that failed included, shows that the server lives, also to those that
 * wait for it in `withRetryBudget`.
 */
export class CircuitBreaker {
  readonly #now: () => number
  readonly #longestPauseMs: number
  #failures = 0
  #pauseMs = FIRST_PAUSE_MS
  #closedUntil = 0
  #probingUntil = 0
  #back = Promise.withResolvers<void>()

  /** @param now a clock in milliseconds that never goes back */
  constructor(now: () => number = () => performance.now(), longestPauseMs = LONGEST_PAUSE_MS) {
    this.#now = now
    this.#longestPauseMs = longestPauseMs
  }

  /** Whether the server counts as down. */
  get isOpen(): boolean {
    return this.#failures >= BREAKING_FAILURES
  }

  /** @throws OpenCircuit at once, with the time to wait, while the server counts as down; what `work` throws */
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

  /** Returns whether the request is the one that finds out. */
  #admit(): boolean {
    if (this.#failures < BREAKING_FAILURES) return false
    const leftMs = this.#closedUntil - this.#now()
    if (leftMs > 0 || this.#probingUntil > this.#now()) {
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
