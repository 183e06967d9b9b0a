import { isDatabaseDown, isStoreDown } from './outages.ts'
import {
  internalError,
  invalidRequest,
  notFound,
  payloadTooLarge,
  ServiceError,
  unavailable,
  unsupportedMediaType,
} from './service-error.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
const MAX_LOGGED_CHARACTERS = 300

interface HttpError {
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly expose?: unknown
}

/** Turns any exception into an error for the caller; an unknown one becomes INTERNAL_ERROR. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const violation = callersError(error as HttpError | null)
  if (violation !== null) return violation
  return isDatabaseDown(error) || isStoreDown(error) ? unavailable(error) : internalError(error)
}

export function errorHeaders(error: ServiceError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': JSON_TYPE }
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer'
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds)
  return headers
}

function callersError(error: HttpError | null): ServiceError | null {
  if (typeof error?.statusCode !== 'number') return null
  const fromHttp = typeof error.code === 'string' && error.code.startsWith('FST_')
  // A caller that hangs up in the middle of a body raises the code of a broken database connection.
  const hungUp = error.code === 'ECONNRESET' && error.statusCode === 400
  if (!fromHttp && !hungUp && error.expose !== true) return null
  const { statusCode } = error
  if (statusCode === 403 || statusCode === 404) return notFound()
  if (statusCode === 413) return payloadTooLarge()
  if (statusCode === 415) return unsupportedMediaType()
  return statusCode >= 400 && statusCode < 500 ? invalidRequest('Send a well-formed HTTP request.') : null
}

/** Describes an exception for the log without the values that the caller sent. */
export function describeError(error: unknown): Record<string, unknown> {
  const cause = error instanceof ServiceError && error.cause !== undefined ? error.cause : error
  if (!(cause instanceof Error)) return { name: typeof cause }
  const { code, severity } = cause as { code?: unknown; severity?: unknown }
  const quotesValues = severity !== undefined || cause instanceof SyntaxError || cause.name.startsWith('Prisma')
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const message = quotesValues ? undefined : cause.message.slice(0, MAX_LOGGED_CHARACTERS)
  return { name: cause.name, code, message, frames }
}
