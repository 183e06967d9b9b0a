import { JSON_TYPE, toServiceError } from '../errors/describe-error.ts'
import type { ErrorCode, ServiceError } from '../errors/service-error.ts'
import { JOB_ERRORS, type JobErrorCode, JobFailure } from '../jobs/job-states.ts'
import { SpeechViolation, violationCode } from '../speech/speech-violation.ts'

interface OpenaiError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly errorCode: ErrorCode | JobErrorCode
  readonly headers: Readonly<Record<string, string>>
}

type Shape = readonly [status: number, type: string, code: string | null]

const INVALID = 'invalid_request_error'
const SERVER = 'server_error'
const RETRY_AFTER_SECONDS = '5'
/** OpenAI's clients retry 409, 429 and 5xx unless this header forbids it. */
const NEVER_AGAIN = { 'x-should-retry': 'false' }
const LATER = { 'retry-after': RETRY_AFTER_SECONDS }

const SERVICE_ERRORS: Readonly<Record<ErrorCode, Shape>> = {
  INVALID_REQUEST: [400, INVALID, 'invalid_value'],
  UNAUTHORIZED: [401, INVALID, 'invalid_api_key'],
  PAYMENT_REQUIRED: [429, 'insufficient_quota', 'insufficient_quota'],
  FORBIDDEN: [403, INVALID, 'missing_scope'],
  REAUTHENTICATION_REQUIRED: [403, INVALID, null],
  NOT_FOUND: [404, INVALID, null],
  METHOD_NOT_ALLOWED: [405, INVALID, null],
  IDEMPOTENCY_IN_PROGRESS: [409, INVALID, null],
  JOB_UNFINISHED: [409, INVALID, null],
  GONE: [410, INVALID, null],
  PAYLOAD_TOO_LARGE: [413, INVALID, null],
  UNSUPPORTED_MEDIA_TYPE: [415, INVALID, null],
  IDEMPOTENCY_MISMATCH: [422, INVALID, null],
  RATE_LIMITED: [429, 'requests', 'rate_limit_exceeded'],
  INTERNAL_ERROR: [500, SERVER, 'internal_error'],
  UNAVAILABLE: [503, SERVER, 'unavailable'],
}

const JOB_FAILURES: Readonly<Record<JobErrorCode, Shape>> = {
  PROVIDER_BUSY: [503, SERVER, 'engine_overloaded'],
  PROVIDER_UNAVAILABLE: [503, SERVER, 'unavailable'],
  QUEUE_FAILED: [503, SERVER, 'unavailable'],
  JOB_TIMEOUT: [504, SERVER, 'job_timeout'],
  JOB_CANCELLED: [400, INVALID, 'job_cancelled'],
  RENDER_FAILED: [400, INVALID, 'render_failed'],
  CHARGE_FAILED: [429, 'insufficient_quota', 'insufficient_quota'],
  INTERNAL_ERROR: [500, SERVER, 'internal_error'],
}

export function toOpenaiError(thrown: unknown): OpenaiError {
  if (thrown instanceof SpeechViolation) {
    const { status, message, code, field } = thrown
    return { status, message, type: INVALID, code, param: field, errorCode: violationCode(thrown), headers: {} }
  }
  if (thrown instanceof JobFailure) return shaped(JOB_FAILURES[thrown.code], JOB_ERRORS[thrown.code], thrown.code)
  return fromService(toServiceError(thrown))
}

export const openaiBody = ({ message, type, param, code, errorCode }: OpenaiError): string =>
  JSON.stringify({ error: { message, type, param, code }, error_code: errorCode })

function fromService(error: ServiceError): OpenaiError {
  const { code, message, details, retryAfterSeconds } = error
  const detail = details?.[0]
  const field = detail?.path.replace(/^\//, '') || null
  const words = field === null ? message : `${field}: ${detail?.message}`
  const made = shaped(SERVICE_ERRORS[code], words, code)
  const headers: Record<string, string> = { ...made.headers }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  if (code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer'
  return { ...made, param: field, headers }
}

function shaped([status, type, code]: Shape, message: string, errorCode: ErrorCode | JobErrorCode): OpenaiError {
  const isFinal = code === 'insufficient_quota' || status === 504
  const headers = { 'content-type': JSON_TYPE, ...(isFinal && NEVER_AGAIN), ...(status === 503 && LATER) }
  return { status, message, type, code, param: null, errorCode, headers }
}
