import { setTimeout as wait } from 'node:timers/promises'
import { EngineError, FailedAttempt, type SpeechEngine, type SpeechRequest } from './engine.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000
/** Failures in a row that make a server count as down. */
const BREAKING_FAILURES = 5
const FIRST_PAUSE_MS = 1000
/** Well below the usual patience: a server that is back must be found before the jobs that wait for it give up. */
const LONGEST_PAUSE_MS = 10_000
/** How often a text is tried again that a living server could not speak. */
const MORE_ATTEMPTS = 2

/** Nobody asked the server: how long to wait is this process's own guess. */
class Resting extends EngineError {
  constructor(retryAfterMs: number) {
    super('PROVIDER_UNAVAILABLE', 'The server did not answer several times in a row.', { retryAfterMs })
  }
}

/** Remembers, for one server, whether it is worth asking. */
export interface CircuitBreaker {
  /** @throws EngineError PROVIDER_UNAVAILABLE at once, with the time to wait, while the server counts as down */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * After five unavailable answers in a row nobody asks the server for a second; then one request tries it, and while that fails the
 * pause doubles, up to 10 s. Any other answer, a refusal or an attempt that failed included, shows that the server lives.
 */
export function openCircuitBreaker(now: () => number = () => performance.now()): CircuitBreaker {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let closedUntil = 0
  let probing = false

  const admit = (): boolean => {
    if (failures < BREAKING_FAILURES) return false
    const left = closedUntil - now()
    if (left > 0 || probing) {
      throw new Resting(Math.max(left, FIRST_WAIT_MS))
    }
    probing = true
    return true
  }

  const failed = (isProbe: boolean): void => {
    failures++
    if (failures < BREAKING_FAILURES) return
    if (isProbe) pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    closedUntil = now() + pauseMs
  }

  const answered = (): void => {
    failures = 0
    pauseMs = FIRST_PAUSE_MS
  }

  return {
    run: async (work) => {
      const isProbe = admit()
      try {
        const result = await work()
        answered()
        return result
      } catch (error) {
        if (error instanceof EngineError) {
          if (error.code === 'PROVIDER_UNAVAILABLE' && !(error instanceof FailedAttempt)) failed(isProbe)
          else answered()
        }
        throw error
      } finally {
        if (isProbe) probing = false
      }
    },
  }
}

export interface RetryOptions {
  /** How long a text is tried, in milliseconds; its own deadline may be nearer, and a server that says when to come back is taken at its word. */
  readonly patienceMs: number
  readonly random?: () => number
}

/**
 * The same engine, asked again while it is busy or unavailable: after 200 ms, and twice that each time up to 10 s, half of it by
 * chance, and once more when the patience ends; or after as long as the server asked for, even where that is beyond the patience. What
 * would come after the deadline is not waited for: the last error is thrown. A text that the living server could not speak is tried twice more.
 */
export function withRetries(engine: SpeechEngine, { patienceMs, random = Math.random }: RetryOptions): SpeechEngine {
  return {
    ...engine,
    speak: async (request: SpeechRequest) => {
      const patientUntil = performance.now() + patienceMs
      let failedAttempts = 0
      for (let backoffMs = FIRST_WAIT_MS; ; backoffMs = Math.min(backoffMs * 2, LONGEST_WAIT_MS)) {
        try {
          return await engine.speak(request)
        } catch (error) {
          if (!isPassing(error)) throw error
          if (error instanceof FailedAttempt && ++failedAttempts > MORE_ATTEMPTS) throw error
          const waitMs = (error.retryAfterMs ?? backoffMs / 2) + (random() * backoffMs) / 2
          const leftMs = leftFor(error, waitMs, { patientUntil, deadline: request.deadline })
          if (request.signal.aborted || leftMs <= 0) throw error
          await wait(Math.ceil(Math.min(waitMs, leftMs)), undefined, { signal: request.signal })
        }
      }
    },
  }
}

/** How long a text may wait at most before it is tried again; 0: it is not. */
function leftFor(
  error: EngineError,
  waitMs: number,
  { patientUntil, deadline }: { readonly patientUntil: number; readonly deadline: number | undefined },
): number {
  const now = performance.now()
  if (isTold(error)) return now + waitMs < (deadline ?? patientUntil) ? waitMs : 0
  const nextAt = Math.min(now + waitMs, patientUntil)
  return nextAt < (deadline ?? Number.POSITIVE_INFINITY) ? Math.max(0, nextAt - now) : 0
}

const isPassing = (error: unknown): error is EngineError =>
  error instanceof EngineError && (error.code === 'PROVIDER_BUSY' || error.code === 'PROVIDER_UNAVAILABLE')

/** The server itself said how long to wait. */
const isTold = (error: EngineError): boolean => error.retryAfterMs !== undefined && !(error instanceof Resting)
