import { describe, expect, test } from 'vitest'
import { type ErrorCode, ServiceError } from '../../src/errors/service-error.ts'
import { type JobErrorCode, JobFailure } from '../../src/jobs/job-states.ts'
import { openaiBody, toOpenaiError } from '../../src/openai/openai-error.ts'

type Row<Code> = [code: Code, shape: [number, string, string | null], again?: string, after?: string]

/** As its clients see it: the status, what they branch on, and when they may try again. */
const seen = (thrown: unknown) => {
  const { status, type, code, headers, ...error } = toOpenaiError(thrown)
  return [status, type, code, error.errorCode, headers['x-should-retry'], headers['retry-after']]
}

describe('errors in OpenAI’s words', () => {
  const invalid = 'invalid_request_error'
  test.each<Row<ErrorCode>>([
    ['UNAUTHORIZED', [401, invalid, 'invalid_api_key']],
    ['FORBIDDEN', [403, invalid, 'missing_scope']],
    ['NOT_FOUND', [404, invalid, null]],
    ['METHOD_NOT_ALLOWED', [405, invalid, null]],
    ['PAYLOAD_TOO_LARGE', [413, invalid, null]],
    ['UNSUPPORTED_MEDIA_TYPE', [415, invalid, null]],
    ['INVALID_REQUEST', [400, invalid, 'invalid_value']],
    // Neither is tried again by its clients.
    ['PAYMENT_REQUIRED', [429, 'insufficient_quota', 'insufficient_quota'], 'false'],
    ['RATE_LIMITED', [429, 'requests', 'rate_limit_exceeded'], undefined, '9'],
    ['UNAVAILABLE', [503, 'server_error', 'unavailable'], undefined, '9'],
    ['INTERNAL_ERROR', [500, 'server_error', 'internal_error']],
  ])('%s of a request', (code, shape, again, after) => {
    const isLater = after !== undefined
    const error = new ServiceError(code, 'Words.', isLater ? { retryAfterSeconds: 9 } : {})
    expect(seen(error)).toEqual([...shape, code, again, after])
    expect(toOpenaiError(error).headers['www-authenticate']).toBe(code === 'UNAUTHORIZED' ? 'Bearer' : undefined)
  })

  test.each<Row<JobErrorCode>>([
    ['PROVIDER_BUSY', [503, 'server_error', 'engine_overloaded'], undefined, '5'],
    ['PROVIDER_UNAVAILABLE', [503, 'server_error', 'unavailable'], undefined, '5'],
    ['QUEUE_FAILED', [503, 'server_error', 'unavailable'], undefined, '5'],
    ['JOB_TIMEOUT', [504, 'server_error', 'job_timeout'], 'false'],
    ['CHARGE_FAILED', [429, 'insufficient_quota', 'insufficient_quota'], 'false'],
    // A 409 would be tried again.
    ['JOB_CANCELLED', [400, invalid, 'job_cancelled']],
    ['RENDER_FAILED', [400, invalid, 'render_failed']],
    ['INTERNAL_ERROR', [500, 'server_error', 'internal_error']],
  ])('%s of a job', (code, shape, again, after) => {
    expect(seen(new JobFailure(code, 'the operator’s words'))).toEqual([...shape, code, again, after])
    expect(openaiBody(toOpenaiError(new JobFailure(code, 'secret')))).not.toContain('secret')
  })
})
