import { growingPause } from './growing-pause.ts'

/** One failed validation: a JSON pointer or the name of an argument, and what is wrong there. */
export interface Violation {
  readonly path: string
  readonly message: string
}

interface ApiErrorParts {
  readonly code: string
  readonly requestId?: string | undefined
  readonly details?: readonly Violation[]
  readonly retryAfterSeconds?: number | undefined
  readonly pauses?: number
}

/** So long it waits that is limited by what does not say for how long. */
const PAUSE_SECONDS = 5
/** A question is asked again after this at the latest, however long the service wants it to wait. */
const MAX_PAUSE_MS = 60_000
/** The first pause of a question whose service is not available and does not say for how long. */
const FIRST_PAUSE_MS = 1000

/** Why the service refused, or why it was not reached (`OFFLINE`). The message is a sentence to show. */
export class ApiError extends Error {
  readonly code: string
  readonly requestId: string | undefined
  readonly details: readonly Violation[]
  /** Until when the service takes no more of it, by this browser's clock; null: it has not asked for a pause. */
  readonly retryAt: number | null
  /** When a question may be asked again. */
  readonly againAt: number | null
  /** How many pauses a question has made by itself, this one included. */
  readonly pauses: number

  constructor(message: string, parts: ApiErrorParts) {
    super(message)
    const seconds = pauseOf(parts)
    this.code = parts.code
    this.requestId = parts.requestId
    this.details = parts.details ?? []
    this.retryAt = seconds === undefined ? null : Date.now() + seconds * 1000
    this.pauses = parts.pauses ?? 0
    const own = this.pauses === 0 ? null : Date.now() + growingPause(FIRST_PAUSE_MS, this.pauses - 1)
    this.againAt = this.retryAt === null ? own : Math.min(this.retryAt, Date.now() + MAX_PAUSE_MS)
  }
}

function pauseOf({ code, retryAfterSeconds }: ApiErrorParts): number | undefined {
  if (code === 'RATE_LIMITED') return atLeastOne(retryAfterSeconds ?? PAUSE_SECONDS)
  return code === 'UNAVAILABLE' && retryAfterSeconds !== undefined ? atLeastOne(retryAfterSeconds) : undefined
}

/** With 0 the page would ask without end. */
const atLeastOne = (seconds: number): number => Math.max(1, seconds)

/** A sentence with the seconds that are left until it may be tried again. */
export const withSeconds = (sentence: string, seconds: number): string =>
  seconds > 0 ? `${sentence} Try again in ${seconds} s.` : sentence

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(error instanceof Error ? error.message : String(error), { code: 'UNKNOWN' })

/**
 * Why a question failed. Where the service is not available and does not say for how long, the question waits by itself before it is asked
 * again. @param before why it failed before that, without an answer in between
 */
export function asFailedQuestion(error: unknown, before: ApiError | null): ApiError {
  const failure = asApiError(error)
  if (failure.code !== 'UNAVAILABLE' || failure.againAt !== null) return failure
  return new ApiError(failure.message, { ...failure, pauses: (before?.pauses ?? 0) + 1 })
}

/** The service may have carried out a request that failed so. */
export const isUncertain = ({ code }: { readonly code: string }): boolean =>
  ['OFFLINE', 'UNAVAILABLE', 'UNEXPECTED_ANSWER', 'INTERNAL_ERROR'].includes(code)
