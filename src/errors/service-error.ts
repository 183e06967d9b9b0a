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

/** One violation: a JSON pointer into the body or a parameter's name, and its message. */
export interface Detail {
  readonly path: string
  readonly message: string
}

export const MAX_DETAILS = 20
const MAX_PATH_CHARACTERS = 200
const MAX_MESSAGE_CHARACTERS = 500

interface Extra {
  readonly details?: readonly Detail[]
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An error for the caller. `message` holds nothing internal; `cause` stays on the server. */
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

/** The number and length of details are bounded, so a large body gets a small answer. */
export const invalidRequest = (message: string, details: readonly Detail[] = []) =>
  new ServiceError('INVALID_REQUEST', message, { details: details.slice(0, MAX_DETAILS).map(shortened) })
export const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'Send a valid API key in the Authorization header as "Bearer <API_KEY>".')
export const paymentRequired = () =>
  new ServiceError('PAYMENT_REQUIRED', 'Top up the account: its credit balance must be positive.')
export const balanceTooLow = () =>
  new ServiceError('PAYMENT_REQUIRED', 'Top up the account: its credits are too few for this job and those that wait.')
export const monthlyLimitReached = () =>
  new ServiceError(
    'PAYMENT_REQUIRED',
    'The monthly limit of the key or the account leaves too few credits: wait for the next month (UTC), or have it raised.',
  )
export const forbidden = (scope: string) =>
  new ServiceError('FORBIDDEN', `Use an API key that holds the scope ${scope}.`)
export const accountDisabled = () =>
  new ServiceError('FORBIDDEN', 'This account is disabled: ask the operator of this service to enable it.')
export const notFound = () => new ServiceError('NOT_FOUND', 'Not found: no such endpoint or resource.')
export const audioGone = () => new ServiceError('GONE', 'This audio was deleted: render its text again.')
export const textGone = () =>
  new ServiceError('GONE', 'The text of this job was not kept, and captions are made of it: render its text again.')
/** Malformed, unknown and foreign ids give the same answer, so no caller learns which ids exist. */
export const unknownId = (noun: string) => new ServiceError('NOT_FOUND', `No ${noun} with this id.`)
export const jobNotFound = () => unknownId('job')
export const payloadTooLarge = (maxBytes = 1024 ** 2) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${Math.floor((10 * maxBytes) / 1024 ** 2) / 10} MiB.`)
export const listTooLarge = () => new ServiceError('PAYLOAD_TOO_LARGE', 'Send a body of at most 4 MiB.')
export const unsupportedMediaType = () =>
  new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8, without content-encoding.')
export const internalError = (cause?: unknown) =>
  new ServiceError('INTERNAL_ERROR', 'Try again, then contact support with the x-request-id of this response.', {
    cause,
  })
export const unavailable = (cause?: unknown) =>
  new ServiceError('UNAVAILABLE', 'Try again in a moment.', { retryAfterSeconds: 1, cause })

export const shortenedMessage = (message: string): string => cut(message, MAX_MESSAGE_CHARACTERS)

const shortened = ({ path, message }: Detail): Detail => ({
  path: cut(path, MAX_PATH_CHARACTERS),
  message: shortenedMessage(message),
})

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
