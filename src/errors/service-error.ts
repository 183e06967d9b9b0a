/** Every HTTP error the service answers with: code -> status. */
export const HTTP_STATUS = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  IDEMPOTENCY_IN_PROGRESS: 409,
  JOB_UNFINISHED: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof HTTP_STATUS

/** One failed validation: a JSON pointer into the request body, or the name of a parameter, and what is wrong there. */
export interface Detail {
  readonly path: string
  readonly message: string
}

/** How many violations one error lists. */
export const MAX_DETAILS = 20
const MAX_PATH_CHARACTERS = 200
const MAX_MESSAGE_CHARACTERS = 500

interface Extra {
  readonly details?: readonly Detail[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/**
 * An error for the caller, through every door in the same words.
 * `message` is one sentence on what to do next and never holds anything internal; `cause` stays on the server.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode
  readonly details: readonly Detail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, extra: Extra = {}) {
    super(message, { cause: extra.cause })
    this.code = code
    this.details = extra.details
    this.retryAfterSeconds = extra.retryAfterSeconds
  }

  get status(): number {
    return HTTP_STATUS[this.code]
  }
}

/** Details are capped in number and length: a body of a megabyte must not come back as several. */
export const invalidRequest = (message: string, details: readonly Detail[] = []) =>
  new ServiceError('INVALID_REQUEST', message, { details: details.slice(0, MAX_DETAILS).map(shortened) })
export const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'Send a valid API key in the Authorization header as "Bearer <API_KEY>".')
export const paymentRequired = () =>
  new ServiceError('PAYMENT_REQUIRED', 'Top up the account: its credit balance must be positive.')
export const forbidden = (scope: string) =>
  new ServiceError('FORBIDDEN', `Use an API key that holds the scope ${scope}.`)
export const notFound = () => new ServiceError('NOT_FOUND', 'Not found: no such endpoint or resource.')
/** Of audio that was there: for its job's id there is still an answer. */
export const audioGone = () => new ServiceError('GONE', 'This audio was deleted: render its text again.')
/** The same for a malformed id, an unknown one and another account's. @param noun what it would name */
export const unknownId = (noun: string) => new ServiceError('NOT_FOUND', `No ${noun} with this id.`)
export const jobNotFound = () => unknownId('job')
/** @param maxBytes of the body */
export const payloadTooLarge = (maxBytes = 1024 ** 2) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${Math.floor((10 * maxBytes) / 1024 ** 2) / 10} MiB.`)
/** Of a body that is a list of many entries. */
export const listTooLarge = () => new ServiceError('PAYLOAD_TOO_LARGE', 'Send a body of at most 4 MiB.')
export const unsupportedMediaType = () =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8, without content-encoding.')
export const internalError = (cause?: unknown) =>
  new ServiceError('INTERNAL_ERROR', 'Try again, then contact support with the x-request-id of this response.', {
    cause,
  })
export const unavailable = (cause?: unknown) =>
  new ServiceError('UNAVAILABLE', 'Try again in a moment.', { retryAfterSeconds: 1, cause })

/** A message that may quote what a caller sent: not all of it. */
export const shortenedMessage = (message: string): string => cut(message, MAX_MESSAGE_CHARACTERS)

const shortened = ({ path, message }: Detail): Detail => ({
  path: cut(path, MAX_PATH_CHARACTERS),
  message: shortenedMessage(message),
})

/** Never in the middle of a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
