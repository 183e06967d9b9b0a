import { setTimeout as wait } from 'node:timers/promises'
import { OpenCircuit } from './circuit-breaker.ts'
import { EngineError, FailedAttempt, type SpeechEngine } from './engine.ts'

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 10_000
/** How often something is tried again that a living server could not do. */
const MORE_ATTEMPTS = 2

/** How long something is tried, in milliseconds from its first try. */
export interface RetryBudgetMs {
  /** With a server that is full; counted from zero once it was away, as all jobs come back to it at once. */
  readonly busy: number
  /** With a server that is away. */
  readonly away: number
}

/** How long work at a server is tried again, and what ends it. */
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
 * by chance, and once more when the retry budget ends; or after as long as the server asked for, even where that is beyond the budget. What
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

/** A request that waits for a server that counts as down is woken when another one has reached it: its capacity would be idle meanwhile. */
async function pause(milliseconds: number, error: EngineError, signal: AbortSignal): Promise<void> {
  const found = new AbortController()
  if (error instanceof OpenCircuit) void error.back.then(() => found.abort())
  const over = AbortSignal.any([signal, found.signal])
  await wait(milliseconds, undefined, { signal: over }).catch(() => signal.throwIfAborted())
}

/** The same engine, asked for as long as a text's retry budget and deadline allow. */
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
