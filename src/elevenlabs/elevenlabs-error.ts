import { JSON_TYPE, toServiceError } from '../errors/describe-error.ts'
import type { Detail, ErrorCode } from '../errors/service-error.ts'
import { JOB_ERRORS, type JobErrorCode, JobFailure } from '../jobs/job-states.ts'
import { SpeechViolation, violationCode } from '../speech/speech-violation.ts'

interface ElevenlabsError {
  readonly httpStatus: number
  readonly detail: { readonly status: string; readonly message: string } | readonly Misfit[]
  readonly errorCode: ErrorCode | JobErrorCode
  readonly headers: Readonly<Record<string, string>>
}

/** A field that its clients show: the path to it and the message. */
interface Misfit {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: 'value_error'
}

type Shape = readonly [httpStatus: number, status: string]

const UNPROCESSABLE = 422
const LATER = { 'retry-after': '5' }
const NO_KEY = 'Send a valid API key in the xi-api-key header.'

/** Clients repeat 429 and 5xx, so an empty account is 401, as ElevenLabs documents it. */
const ERRORS: Readonly<Record<ErrorCode | JobErrorCode, Shape>> = {
  INVALID_REQUEST: [UNPROCESSABLE, 'invalid_request'],
  UNAUTHORIZED: [401, 'invalid_api_key'],
  PAYMENT_REQUIRED: [401, 'quota_exceeded'],
  FORBIDDEN: [403, 'missing_permissions'],
  REAUTHENTICATION_REQUIRED: [403, 'missing_permissions'],
  NOT_FOUND: [404, 'not_found'],
  METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'already_running'],
  JOB_UNFINISHED: [409, 'already_running'],
  GONE: [410, 'gone'],
  PAYLOAD_TOO_LARGE: [413, 'payload_too_large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'unsupported_media_type'],
  IDEMPOTENCY_MISMATCH: [UNPROCESSABLE, 'invalid_request'],
  RATE_LIMITED: [429, 'rate_limit_exceeded'],
  INTERNAL_ERROR: [500, 'internal_server_error'],
  UNAVAILABLE: [503, 'service_unavailable'],
  PROVIDER_BUSY: [429, 'system_busy'],
  PROVIDER_UNAVAILABLE: [503, 'service_unavailable'],
  QUEUE_FAILED: [503, 'service_unavailable'],
  JOB_TIMEOUT: [504, 'generation_timeout'],
  JOB_CANCELLED: [400, 'generation_cancelled'],
  RENDER_FAILED: [400, 'generation_failed'],
  CHARGE_FAILED: [401, 'quota_exceeded'],
}

const VIOLATIONS: Readonly<Record<string, Shape>> = {
  string_above_max_length: [400, 'max_character_limit_exceeded'],
  input_timeout_exceeded: [400, 'input_timeout_exceeded'],
  voice_not_found: [404, 'voice_not_found'],
  model_not_found: [404, 'model_not_found'],
}

/** Its names of the fields of a request for speech. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  input: ['body', 'text'],
  language: ['body', 'language_code'],
  model: ['body', 'model_id'],
  output_format: ['query', 'output_format'],
  speed: ['body', 'voice_settings', 'speed'],
  voice: ['path', 'voice_id'],
}

export const elevenlabsBody = ({ detail }: ElevenlabsError): string => JSON.stringify({ detail })

export function toElevenlabsError(thrown: unknown): ElevenlabsError {
  if (thrown instanceof SpeechViolation) return fromViolation(thrown)
  if (thrown instanceof JobFailure) return shaped(ERRORS[thrown.code], JOB_ERRORS[thrown.code], thrown.code)
  const { code, message, details, retryAfterSeconds } = toServiceError(thrown)
  const headers = {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' }),
  }
  const made = shaped(ERRORS[code], code === 'UNAUTHORIZED' ? NO_KEY : message, code, headers)
  return details === undefined || details.length === 0 || made.httpStatus !== UNPROCESSABLE
    ? made
    : { ...made, detail: details.map(misfitOf) }
}

function fromViolation(violation: SpeechViolation): ElevenlabsError {
  const { field, code, message } = violation
  const errorCode = violationCode(violation)
  const made = shaped(VIOLATIONS[code] ?? ERRORS.INVALID_REQUEST, message, errorCode)
  return made.httpStatus === UNPROCESSABLE
    ? { ...made, detail: [misfit(FIELDS[field] ?? ['body', field], message)] }
    : made
}

function shaped(
  [httpStatus, status]: Shape,
  message: string,
  errorCode: ErrorCode | JobErrorCode,
  more: Readonly<Record<string, string>> = {},
): ElevenlabsError {
  const isLater = httpStatus === 503 || status === 'system_busy'
  const detail = httpStatus === UNPROCESSABLE ? [misfit(['body'], message)] : { status, message }
  return { httpStatus, detail, errorCode, headers: { 'content-type': JSON_TYPE, ...(isLater && LATER), ...more } }
}

const misfitOf = ({ path, message }: Detail): Misfit =>
  misfit(['body', ...path.split('/').filter((part) => part !== '')], message)

const misfit = (loc: readonly string[], msg: string): Misfit => ({ loc, msg, type: 'value_error' })
