import type { ErrorCode } from '../errors/service-error.ts'
import { builder, ExpectedError } from './builder.ts'
import { shownDetails } from './http/errors.ts'
import { describedEnum } from './scalars.ts'

export const ErrorCodeEnum = describedEnum<ErrorCode>(
  'ErrorCode',
  'Why a request was rejected: the value to branch on, the same as in REST.',
  {
    INVALID_REQUEST: 'Correct the request: see `details`.',
    UNAUTHORIZED: 'Send a valid key, or sign in.',
    PAYMENT_REQUIRED: 'Top up the account.',
    FORBIDDEN: 'Use a key that holds the scope.',
    REAUTHENTICATION_REQUIRED:
      'Give the password again, with `reauthenticate`: a signed-in operator changes things for 15 minutes after it.',
    NOT_FOUND: 'No such endpoint or resource, or the caller may not use it.',
    METHOD_NOT_ALLOWED: 'Use another HTTP method.',
    IDEMPOTENCY_IN_PROGRESS: 'The first request with this idempotency key is still in progress.',
    JOB_UNFINISHED: 'The job is not completed yet: ask again in a moment.',
    GONE: 'It was deleted.',
    PAYLOAD_TOO_LARGE: 'Send less at a time.',
    UNSUPPORTED_MEDIA_TYPE: 'Send JSON.',
    IDEMPOTENCY_MISMATCH: 'This idempotency key was already used with a different request.',
    RATE_LIMITED: 'Wait, then try again.',
    INTERNAL_ERROR: 'Something went wrong on our side.',
    UNAVAILABLE: 'Try again in a moment.',
  },
)

const DetailRef = builder.objectRef<{ path: string; message: string }>('ErrorDetail').implement({
  description: 'One failed validation.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where it is: a JSON pointer, or the name of an argument.' }),
    message: t.exposeString('message', { description: 'What is wrong there.' }),
  }),
})

builder.objectType(ExpectedError, {
  name: 'RequestError',
  description:
    'Why a mutation changed nothing. Failed authorisation, rate limits and failures of the service are not here but among the errors of the answer.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'One sentence that says what is wrong or what to do next.' }),
    code: t.field({ type: ErrorCodeEnum, description: 'The value to branch on.', resolve: ({ code }) => code }),
    details: t.field({
      type: [DetailRef],
      description: 'Each failed validation.',
      resolve: ({ details }) => shownDetails(details ?? []),
    }),
    requestId: t.string({
      description: "The id of the request in the service's log.",
      resolve: (_refusal, _args, ctx) => ctx.requestId,
    }),
  }),
})
