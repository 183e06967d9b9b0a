import { setTimeout as wait } from 'node:timers/promises'
import { EngineError, FailedAttempt, type SpeechEngine } from './engine.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000
/** Failures in a row that make a server count as down. */
const BREAKING_FAILURES = 5
const FIRST_PAUSE_MS = 1000
/** Well below the usual patience: a server that is back must be found before the jobs that wait for it give up. */
const LONGEST_PAUSE_MS = 10_000
/** A request that tries a server for this long has found one that takes requests: the next one need not wait for its answer. */
const PROBE_MS = 1000
/** How often something is tried again that a living server could not do. */
const MORE_ATTEMPTS = 2

/** The server was not asked: how long to wait is this process's own guess. */
class OpenCircuit extends EngineError {
  /** Resolves when the server was found to live again. */
  readonly back: Promise<void>

  constructor(retryAfterMs: number, back: Promise<void>) {
    super('PROVIDER_UNAVAILABLE', 'The server did not answer several times in a row.', { retryAfterMs })
    this.back = back
  }
}

/** Remembers, for one server, whether it is worth asking. */
export interface CircuitBreaker {
  /** @throws EngineError PROVIDER_UNAVAILABLE at once, with the time to wait, while the server counts as down */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * After five unavailable answers in a row the server is not asked for a second; then one request tries it, another one each second that
 * it is not answered, and while that fails the pause doubles, up to `longestPauseMs`. Any other answer, a refusal or an attempt that
 * failed included, shows that the server lives, to those as well who wait for it in `withRetryBudget`.
 */
export function openCircuitBreaker(
  now: () => number = () => performance.now(),
  longestPauseMs = LONGEST_PAUSE_MS,
): CircuitBreaker {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let closedUntil = 0
  let probingUntil = 0
  let back = Promise.withResolvers<void>()

  const admit = (): boolean => {
    if (failures < BREAKING_FAILURES) return false
    const left = closedUntil - now()
    if (left > 0 || probingUntil > now()) {
      throw new OpenCircuit(Math.max(left, FIRST_WAIT_MS), back.promise)
    }
    probingUntil = now() + PROBE_MS
    return true
  }

  const failed = (isProbe: boolean): void => {
    failures++
    if (failures < BREAKING_FAILURES) return
    if (isProbe) pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    closedUntil = now() + pauseMs
  }

  const answered = (): void => {
    if (failures >= BREAKING_FAILURES) {
      back.resolve()
      back = Promise.withResolvers()
    }
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
        if (isProbe) probingUntil = 0
      }
    },
  }
}

/** How long something is tried, in milliseconds from its first try. */
export interface RetryBudgetMs {
  /** With a server that has no room; counted anew once it was away, as all jobs come back to it at once. */
  readonly busy: number
  /** With a server that is away. */
  readonly away: number
}

export interface RetryOptions {
  readonly retryBudgetMs: RetryBudgetMs
  /** When it is of no use any more, in milliseconds of `performance.now()`. A server that says when to come back is taken at its word until then. */
  readonly deadline?: number | undefined
  readonly signal: AbortSignal
  /** Counts what the living server could not do, where several calls are steps of one thing. */
  readonly failed?: { attempts: number }
  readonly random?: () => number
}

/**
 * Does `work`, and does it again while the server is busy or unavailable: after 200 ms, and twice that each time up to 10 s, half of it
 * by chance, and once more when the patience ends; or after as long as the server asked for, even where that is beyond the patience. What
 * would come after the deadline is not waited for: the last error is thrown. What the living server could not do is tried twice more.
 * @throws what `work` throws; the signal's reason when it is aborted while waiting
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

/** A request that waits for a server that counts as down is woken when another one has reached it: its places would be empty meanwhile. */
async function pause(milliseconds: number, error: EngineError, signal: AbortSignal): Promise<void> {
  const found = new AbortController()
  if (error instanceof OpenCircuit) void error.back.then(() => found.abort())
  const over = AbortSignal.any([signal, found.signal])
  await wait(milliseconds, undefined, { signal: over }).catch(() => signal.throwIfAborted())
}

/** The same engine, asked for as long as a text's patience and deadline allow. */
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

/** How long to wait at most before it is tried again; 0: it is not. */
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

/** The server itself said how long to wait. */
const isTold = (error: EngineError): boolean => error.retryAfterMs !== undefined && !(error instanceof OpenCircuit)
