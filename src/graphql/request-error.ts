import type { Detail, ErrorCode } from '../errors/service-error.ts'
import { builder, ExpectedError } from './builder.ts'
import { shownDetails, shownMessage } from './http/errors.ts'
import { describedEnum } from './scalars.ts'

const ErrorCodeEnum = describedEnum<ErrorCode>(
  'ErrorCode',
  'Code of a rejected request, to branch on; the same as in REST.',
  {
    INVALID_REQUEST: 'The request is not valid: correct what `details` names.',
    UNAUTHORIZED: 'The caller is unknown: send a valid key, or sign in.',
    PAYMENT_REQUIRED: 'The account has too few credits, or a monthly limit is reached: top it up, or raise the limit.',
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
    path: t.exposeString('path', {
      description:
        'Place of the value: a JSON pointer that begins with the name of an argument, such as `/inputs/text`, or that name alone.',
    }),
    message: t.exposeString('message', { description: 'Rule that the value breaks.' }),
  }),
})

interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: readonly Detail[] | undefined
}

const ErrorInterface = builder.interfaceRef<Failure>('Error').implement({
  description: 'Reason why something was not done.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCodeEnum, description: 'Code to branch on.' }),
    message: t.string({
      description: 'Sentence for a person: what is wrong, or what to do next.',
      resolve: ({ message }) => shownMessage(message),
    }),
    details: t.field({
      type: [DetailRef],
      description: 'Failed validations; empty if the request was rejected for another reason.',
      resolve: ({ details }) => shownDetails(details ?? []),
    }),
  }),
})

builder.objectType(ExpectedError, {
  name: 'RequestError',
  interfaces: [ErrorInterface],
  description:
    'Reason why a mutation changed nothing. Failed authorisation, rate limits and failures of the service are in the `errors` of the answer instead.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCodeEnum,
      description:
        'Code to branch on: INVALID_REQUEST, PAYMENT_REQUIRED, NOT_FOUND, IDEMPOTENCY_IN_PROGRESS or IDEMPOTENCY_MISMATCH.',
    }),
    requestId: t.string({
      description: "Id of the request in the service's log.",
      resolve: (_refusal, _args, ctx) => ctx.requestId,
    }),
  }),
})

export const BulkErrorRef = builder.objectRef<Failure>('BulkError').implement({
  description: 'Reason why one of several ids failed. Its `details` are those of the mutation of a single id.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCodeEnum,
      description:
        'Code to branch on: INVALID_REQUEST, PAYMENT_REQUIRED, FORBIDDEN, NOT_FOUND, IDEMPOTENCY_MISMATCH, RATE_LIMITED, INTERNAL_ERROR or UNAVAILABLE.',
    }),
  }),
})
