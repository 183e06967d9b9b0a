import { EngineError, FailedAttempt } from './engine.ts'

const BREAKING_FAILURES = 5
const FIRST_PAUSE_MS = 1000
/** Less than the usual retry budget, so waiting jobs find a recovered server. */
const LONGEST_PAUSE_MS = 10_000
const PROBE_MS = 1000
const SHORTEST_WAIT_MS = 200

/** The server was not asked, because it counts as down. */
export class OpenCircuit extends EngineError {
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
