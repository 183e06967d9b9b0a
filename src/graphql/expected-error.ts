import { type ErrorCode, ServiceError } from '../errors/service-error.ts'

/** What no caller can plan for stays an error of the whole answer: a failed authorisation is never part of the data. */
const UNEXPECTED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'REAUTHENTICATION_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
])

/** The errors that a mutation's result spells out as data. What is thrown is a plain ServiceError. */
export class ExpectedError extends ServiceError {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof ServiceError && !UNEXPECTED.has(error.code)
  }
}
