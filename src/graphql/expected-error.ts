import { type ErrorCode, ServiceError } from '../errors/service-error.ts'

/** These stay errors of the whole answer. */
const UNEXPECTED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'REAUTHENTICATION_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
])

/** Matches the ServiceErrors that a mutation returns as data. */
export class ExpectedError extends ServiceError {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof ServiceError && !UNEXPECTED.has(error.code)
  }
}
