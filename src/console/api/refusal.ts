/** One failed validation: a JSON pointer or the name of an argument, and what is wrong there. */
export interface Violation {
  readonly path: string
  readonly message: string
}

interface RefusalParts {
  readonly code: string
  readonly requestId?: string | undefined
  readonly details?: readonly Violation[]
  readonly retryAfterSeconds?: number | undefined
}

/** Why the service refused, or why it was not reached (`OFFLINE`). The message is a sentence to show. */
export class Refusal extends Error {
  readonly code: string
  readonly requestId: string | undefined
  readonly details: readonly Violation[]
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, parts: RefusalParts) {
    super(message)
    this.code = parts.code
    this.requestId = parts.requestId
    this.details = parts.details ?? []
    this.retryAfterSeconds = parts.retryAfterSeconds
  }
}

export const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal(error instanceof Error ? error.message : String(error), { code: 'UNKNOWN' })

/** Of these a request may have come through all the same. */
export const isUncertain = ({ code }: { readonly code: string }): boolean =>
  ['OFFLINE', 'UNAVAILABLE', 'INTERNAL_ERROR'].includes(code)
