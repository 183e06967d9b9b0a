import { type ErrorCode, HTTP_STATUS, ServiceError } from '../errors.ts'
import { builder } from './builder.ts'

/** What no caller can plan for stays an error of the whole answer: a failed authorisation is never part of the data. */
const UNEXPECTED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
])

/**
 * The refusals that a mutation's result spells out as data. A mutation says `errors: { types: [ExpectedRefusal] }` and its type becomes
 * a union of its result and `RequestError`; what is thrown is a plain ServiceError.
 */
export class ExpectedRefusal extends ServiceError {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof ServiceError && !UNEXPECTED.has(error.code)
  }
}

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'Why a request was refused: the value to branch on, the same as behind REST.',
  values: Object.fromEntries(Object.keys(HTTP_STATUS).map((value) => [value, { value }])) as {
    [C in ErrorCode]: { value: C }
  },
})

const DetailRef = builder.objectRef<{ path: string; message: string }>('ErrorDetail').implement({
  description: 'One failed validation.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it is: a JSON pointer, or the name of an argument.' }),
    message: t.exposeString('message', { description: 'What is wrong there.' }),
  }),
})

export const RequestErrorRef = builder.objectType(ExpectedRefusal, {
  name: 'RequestError',
  description: 'Why a mutation changed nothing. Failed authorisation is not here but among the errors of the answer.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'What to do next, in one sentence.' }),
    code: t.field({ type: ErrorCodeEnum, description: 'The value to branch on.', resolve: ({ code }) => code }),
    details: t.field({
      type: [DetailRef],
      description: 'Each failed validation.',
      resolve: ({ details }) => [...(details ?? [])],
    }),
  }),
})
