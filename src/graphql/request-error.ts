import type { ErrorCode } from '../errors/service-error.ts'
import { builder, ExpectedError } from './builder.ts'
import { shownDetails } from './http/errors.ts'
import { describedEnum } from './scalars.ts'

export const ErrorCodeEnum = describedEnum<ErrorCode>(
  'ErrorCode',
  'Code of a rejected request, to branch on; the same as in REST.',
  {
    INVALID_REQUEST: 'The request is not valid: correct what `details` names.',
    UNAUTHORIZED: 'The caller is unknown: send a valid key, or sign in.',
    PAYMENT_REQUIRED: 'The account has too few credits: top it up.',
    FORBIDDEN: 'The key lacks a scope, or the user a role: use one that has it.',
    REAUTHENTICATION_REQUIRED:
      "The operator's password was given too long ago: give it again, with `reauthenticate`, which is good for 15 minutes.",
    NOT_FOUND: 'The object does not exist, or the caller may not use it.',
    METHOD_NOT_ALLOWED: 'The address takes another HTTP method.',
    IDEMPOTENCY_IN_PROGRESS: 'The first request with this idempotency key is still in progress.',
    JOB_UNFINISHED: 'The job is not completed yet: ask again in a moment.',
    GONE: 'The object was deleted.',
    PAYLOAD_TOO_LARGE: 'The request is too large: send less at a time.',
    UNSUPPORTED_MEDIA_TYPE: 'The request is not JSON: send JSON.',
    IDEMPOTENCY_MISMATCH: 'This idempotency key was already used with a different request.',
    RATE_LIMITED: 'The caller sent too many requests: wait, then try again.',
    INTERNAL_ERROR: 'The service failed: its log has the reason.',
    UNAVAILABLE: 'The service cannot answer now: try again in a moment.',
  },
)

const DetailRef = builder.objectRef<{ path: string; message: string }>('ErrorDetail').implement({
  description: 'Failed validation of one value.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Place of the value: a JSON pointer, or the name of an argument.' }),
    message: t.exposeString('message', { description: 'Rule that the value breaks.' }),
  }),
})

builder.objectType(ExpectedError, {
  name: 'RequestError',
  description:
    'Reason why a mutation changed nothing. Failed authorisation, rate limits and failures of the service are in the `errors` of the answer instead.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'Sentence for a person: what is wrong, or what to do next.' }),
    code: t.field({ type: ErrorCodeEnum, description: 'Code to branch on.', resolve: ({ code }) => code }),
    details: t.field({
      type: [DetailRef],
      description: 'Failed validations; empty if the request was rejected for another reason.',
      resolve: ({ details }) => shownDetails(details ?? []),
    }),
    requestId: t.string({
      description: "Id of the request in the service's log.",
      resolve: (_refusal, _args, ctx) => ctx.requestId,
    }),
  }),
})
